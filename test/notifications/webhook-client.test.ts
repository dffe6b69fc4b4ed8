/** Covers a message to a webhook, with a receiver that behaves, and with those that do not. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Notification } from '../../src/contracts/inputs/notification.ts';
import { isPublicAddress, lookupPublic } from '../../src/notifications/webhook-address.ts';
import { createWebhookClient } from '../../src/notifications/webhook-client.ts';
import { cpuAdjustedNow } from '../support/own-time.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const MESSAGE: Notification = {
  webhookId: 'turn/1/requested',
  createdAt: new Date('2026-11-23T04:00:00.000Z'),
  state: 'due',
  body: {
    type: 'input.requested',
    data: {
      turnId: 'turn',
      projectId: 'p',
      conversationId: 'c',
      inputId: 'turn/1',
      kind: 'commit',
      tool: 'WritePlanTool_begin',
      target: 'docs/a.md',
      link: '/api/turns/turn/inputs/1',
      expiresAt: '2026-11-24T04:00:00.000Z',
    },
  },
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a receiver, and returns the requests that it got. */
const receiver = async (answer: (req: IncomingMessage, res: ServerResponse) => void) => {
  const seen: {
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      seen.push({ url: req.url ?? '', headers: req.headers, body });
      answer(req, res);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { seen, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`) };
};

const never = new AbortController().signal;
const send = (url: URL, { allowsPrivate = true, answerMs = 60_000 } = {}): Promise<number> =>
  createWebhookClient({ url, secret: SECRET, allowsPrivateAddresses: allowsPrivate }, answerMs)(
    MESSAGE,
    never,
  );

describe('a message to a webhook', () => {
  it('is signed so that the usual library of receivers accepts it', async () => {
    const { seen, url } = await receiver((_req, res) => res.writeHead(204).end());
    expect(await send(url)).toBe(204);
    const { headers = {}, body = '' } = seen[0] ?? {};
    expect(headers['webhook-id']).toBe('turn/1/requested');
    const verified = new Webhook(SECRET).verify(body, headers as Record<string, string>);
    expect(verified).toEqual({
      type: 'input.requested',
      timestamp: '2026-11-23T04:00:00.000Z',
      data: MESSAGE.body.data,
    });
    expect(() => new Webhook(SECRET).verify(`${body} `, headers as Record<string, string>)).toThrow(
      WebhookVerificationError,
    );
  });

  it.each([200, 299, 400, 404, 410, 500, 503])('says that its receiver answered %i', async (status) => {
    const { url } = await receiver((_req, res) => res.writeHead(status).end('{"why":"not yours to know"}'));
    expect(await send(url)).toBe(status);
  });

  it('follows no redirect', async () => {
    const inside = await receiver((_req, res) => res.writeHead(200).end());
    const { url } = await receiver((_req, res) => res.writeHead(307, { location: inside.url.href }).end());
    expect(await send(url)).toBe(307);
    expect(inside.seen).toEqual([]);
  });

  it('is given up when its receiver says nothing in time', async () => {
    const { url } = await receiver(() => undefined);
    const startedAt = cpuAdjustedNow();
    await expect(send(url, { answerMs: 200 })).rejects.toThrow(/timeout|aborted/i);
    expect(cpuAdjustedNow() - startedAt).toBeLessThan(10_000);
  });

  it('reads nothing of an answer that never ends', async () => {
    const { url } = await receiver((_req, res) => {
      res.writeHead(200);
      const flood = (): void => void (res.writableEnded || res.write('x'.repeat(65_536), flood));
      flood();
    });
    expect(await send(url)).toBe(200);
  });

  it('reports that nobody listens', async () => {
    await expect(send(new URL('http://127.0.0.1:1/'))).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe('a webhook that points inwards', () => {
  it.each([
    'http://127.0.0.1:9/',
    'https://127.1.2.3/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[::7f00:1]/',
    'https://[fec0::1]/',
    'https://[4000::1]/',
    'https://[2001:db8::1]/',
    'https://224.0.0.1/',
  ])('%s gets no request', async (url) => {
    await expect(send(new URL(url), { allowsPrivate: false })).rejects.toThrow(/not on the public Internet/);
  });

  it('by its name gets no request, whatever it is called', async () => {
    const { seen, url } = await receiver((_req, res) => res.writeHead(200).end());
    url.hostname = 'localhost';
    await expect(send(url, { allowsPrivate: false })).rejects.toThrow(/not on the public Internet/);
    expect(seen).toEqual([]);
    expect(await send(url)).toBe(200);
  });

  it('differs from one that is public', () => {
    const open = ['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111'];
    expect(open.map(isPublicAddress)).toEqual([true, true, true]);
    expect(isPublicAddress('no address')).toBe(false);
  });

  it('is judged by every address that it has, in both forms of the answer', async () => {
    const asked = (all: boolean) =>
      new Promise<unknown>((resolve) => {
        lookupPublic('localhost', { all }, (error) => resolve(error));
      });
    expect(String(await asked(true))).toContain('localhost leads to');
    expect(String(await asked(false))).toContain('localhost leads to');
  });
});

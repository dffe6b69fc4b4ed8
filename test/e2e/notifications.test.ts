/** A webhook is notified of what turns wait for and how they end, on the processes of `npm start`. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import { startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import { OrionStack } from '../support/orion-stack.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

let server: Server;
let stack: OrionStack;
let chat: ChatClient;
let fake: FakeModel;
/** How the receiver answers the next notification. */
let status: number | 'nothing' = 200;
const told: Told[] = [];
const raw: string[] = [];

const take = (headers: IncomingHttpHeaders, body: string): void => {
  const { type, data } = new Webhook(SECRET).verify(body, headers as Record<string, string>) as Told;
  told.push({ id: String(headers['webhook-id']), type, data });
  raw.push(body);
};

beforeAll(async () => {
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      take(req.headers, body);
      if (status !== 'nothing') res.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  fake = await startFakeModel();
  stack = await OrionStack.start({
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
    ORION_APPROVALS: 'writes',
    ORION_WEBHOOK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    ORION_WEBHOOK_SECRET: SECRET,
    ORION_WEBHOOK_PRIVATE: 'true',
  });
  chat = new ChatClient(stack.baseUrl);
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await stack?.stop();
  await fake?.close();
});

const idsOf = (turnId: string): string[] =>
  told.flatMap(({ id }) => (id.startsWith(`${turnId}/`) ? [id] : []));
/** Returns the distinct ids, because a notification that is sent again on a slow machine has the same id. */
const distinctIdsOf = (turnId: string): string[] => [...new Set(idsOf(turnId))];

const asks = async (turnId: string): Promise<void> => {
  const write = answerWithCall('FileSystemTool_write_to_file', {
    path: `${turnId}.md`,
    content: 'a secret text',
  });
  fake.rules({ responses: [write, answer('Done.')] });
  await chat.start({ content: 'write it', requestId: turnId });
  await eventually('the request', async () => {
    const { input } = await chat.json(`/api/turns/${turnId}/inputs/1`);
    return (input as { status?: string } | undefined)?.status === 'open';
  });
};

const deny = (turnId: string): Promise<Response> =>
  chat.untilAnswered(`/api/turns/${turnId}/inputs/1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"reply":"deny","note":"a secret note"}',
  });

describe('a webhook', () => {
  it('gets the request, its resolution and the end, signed and without their contents', async () => {
    await asks('told');
    await eventually('the request to be told', () => idsOf('told').length > 0);
    expect(told.at(-1)).toMatchObject({
      id: 'told/1/requested',
      type: 'input.requested',
      data: { inputId: 'told/1', kind: 'approval', target: 'told.md', link: '/api/turns/told/inputs/1' },
    });
    await deny('told');
    await chat.follow('told');
    await eventually('all of it', () => distinctIdsOf('told').length === 3);
    expect(distinctIdsOf('told').toSorted()).toEqual(['told/1/requested', 'told/1/resolved', 'told/ended']);
    expect(raw.join('\n')).not.toContain('secret');
  });

  it('that answers 500 gets the same id again', async () => {
    status = 500;
    await asks('again');
    await eventually('the first attempt', () => idsOf('again').length > 0);
    status = 200;
    const attempts = idsOf('again').length;
    await eventually('the next attempt', () => idsOf('again').length > attempts);
    expect(distinctIdsOf('again')).toEqual(['again/1/requested']);
    await deny('again');
    await chat.follow('again');
  });

  it('that hangs delays no turn, and gets the notification again when a worker dies meanwhile', async () => {
    status = 'nothing';
    await asks('hangs');
    await eventually('the attempt', () => idsOf('hangs').length > 0);
    await stack.kill('worker');
    expect((await deny('hangs')).status).toBe(200);
    const frames = await chat.follow('hangs');
    expect(frames.at(-1)?.data).toMatchObject({ type: 'done', status: 'completed' });
    status = 200;
    await eventually('all of it', () => distinctIdsOf('hangs').length === 3);
  });
});

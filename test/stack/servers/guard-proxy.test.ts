/** Covers the proxy between web pages and servers that answer everybody. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startDemoModel } from '../../../src/demo-model/demo-model.ts';
import { startGuardProxy } from '../../../src/stack/servers/guard-proxy.ts';
import { findLoopbackAddress } from '../../../src/stack/servers/ports.ts';
import { drawFreePort } from '../../support/free-port.ts';
import { rawRequest } from '../../support/raw-request.ts';

let behind: Server;
let guard: { close(): void };
let port: number;
let open: ServerResponse[];
const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  if (req.url === '/stream') {
    open.push(res);
    res.write('first ');
    return;
  }
  if (req.url === '/headers') {
    const own = { Connection: 'X-Mine, close', 'X-Mine': '1', 'X-Theirs': '2' };
    const seen = JSON.stringify(req.headers);
    return void res.writeHead(200, { ...own, 'Content-Length': seen.length }).end(seen);
  }
  res.setHeader('Set-Cookie', ['a=1', 'b=2']).writeHead(201);
  res.end(`${req.method} ${req.url} ${req.headers.host} ${await text(req)}`);
};

beforeEach(async () => {
  open = [];
  behind = createServer((req, res) => void serve(req, res));
  const target = await findLoopbackAddress();
  behind.listen(target.port, target.host);
  await once(behind, 'listening');
  port = await drawFreePort();
  guard = await startGuardProxy({
    host: '127.0.0.1',
    port,
    target,
    allowedHosts: ['ui.example:8080'],
    serverName: 'The page',
  });
});
afterEach(() => {
  guard.close();
  behind.closeAllConnections();
  behind.close();
});

const ask = (headers: Readonly<Record<string, string>>, method = 'GET', path = '/', body = '') =>
  rawRequest({ port, method, path, headers, body });

describe('a guarded port', () => {
  it.each([
    ['localhost', undefined, true],
    ['127.0.0.1:9', undefined, true],
    ['[::1]:9', undefined, true],
    ['ui.example:8080', undefined, true],
    ['localhost:9', 'http://localhost:9', true],
    ['ui.example', undefined, false],
    ['evil.example', undefined, false],
    ['localhost.evil.example', undefined, false],
    ['127.0.0.1.evil.example', undefined, false],
    ['2130706433', undefined, false],
    ['user@localhost', undefined, false],
    ['', undefined, false],
    ['localhost:9', 'http://evil.example', false],
    ['localhost:9', 'http://localhost:8', false],
    ['localhost:9', 'http://127.0.0.1:9', false],
    ['localhost:9', 'null', false],
  ])('asked as %j from %j: %s', async (host, origin, passes) => {
    const { status } = await ask({ Host: host, ...(origin !== undefined && { Origin: origin }) }, 'POST');
    expect(status).toBe(passes ? 201 : 403);
  });

  it('refuses two names at once, whichever comes first', async () => {
    for (const [one, other] of [
      ['localhost', 'evil.example'],
      ['evil.example', 'localhost'],
    ] as const) {
      expect((await ask({ Host: one, 'X-A': `1\r\nHost: ${other}` })).status).not.toBe(201);
    }
  });

  it('passes on method, path, host, body and headers as they are', async () => {
    const { body } = await ask({ Host: 'localhost:9', 'Content-Length': '4' }, 'PUT', '/a?b=c', 'text');
    expect(body).toContain('PUT /a?b=c localhost:9 text');
    const chunked = { Host: 'localhost', 'Transfer-Encoding': 'chunked' };
    expect((await ask(chunked, 'POST', '/', '3\r\nabc\r\n0\r\n\r\n')).body).toContain('POST / localhost abc');
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('drops what a Connection header names, in both directions, and never what frames a message', async () => {
    const named = { Connection: 'close, x-hop, Content-Length,host', 'X-Hop': '1', 'X-End': '2' };
    const { head, body } = await ask(
      { Host: 'localhost', ...named, 'Content-Length': '4' },
      'GET',
      '/headers',
      'GET ',
    );
    expect(JSON.parse(body)).toEqual({
      host: 'localhost',
      'x-end': '2',
      'content-length': '4',
      connection: expect.not.stringContaining('hop'),
    });
    expect(head).toMatch(/^x-theirs: 2/im);
    expect(head).not.toMatch(/x-mine/i);
  });

  it('passes on an answer as it comes, and its end', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/stream`);
    const reader = answer.body!.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('first ');
    open[0]!.end('last');
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('last');
    expect((await reader.read()).done).toBe(true);
  });

  it('disconnects from the server behind it when the reader leaves', async () => {
    const leaving = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${port}/stream`, { signal: leaving.signal });
    expect(answer.status).toBe(200);
    const closed = once(open[0]!, 'close');
    leaving.abort();
    await closed;
  });

  it('says which server does not answer', async () => {
    behind.closeAllConnections();
    behind.close();
    await once(behind, 'close');
    const { status, body } = await ask({ Host: 'localhost' });
    expect([status, body]).toEqual([502, expect.stringContaining('The page does not answer.')]);
  });
});

it('the demo model answers no web page', async () => {
  const model = await startDemoModel();
  try {
    const to = (headers: Readonly<Record<string, string>>) =>
      rawRequest({ port: model.port, method: 'GET', path: '/v1/models', headers, body: '' });
    expect((await to({ Host: `127.0.0.1:${model.port}` })).status).toBe(200);
    expect((await to({ Host: 'evil.example' })).status).toBe(403);
    expect((await to({ Host: 'localhost', Origin: 'http://evil.example' })).status).toBe(403);
  } finally {
    model.close();
  }
});

it('an address behind a guard belongs to this machine', async () => {
  const { host, port: free } = await findLoopbackAddress();
  expect(host).toMatch(/^127\./);
  const server = createServer().listen(free, host);
  await once(server, 'listening');
  expect((server.address() as AddressInfo).port).toBe(free);
  server.close();
});

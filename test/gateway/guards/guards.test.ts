/** Covers who may talk to the gateway (Host, Origin, limits for each client), and that none of this stops the lane. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Router } from 'express';
import { createApp } from '../../../src/gateway/app.ts';
import type { GatewaySettings } from '../../../src/gateway/deps/route-settings.ts';
import { createHostGuard } from '../../../src/gateway/guards/host-guard.ts';
import { createOriginGuard } from '../../../src/gateway/guards/origin-guard.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';
import { routesOf } from '../support/routes-of.ts';

let world: GatewayWorld;
const open = async (settings: Partial<GatewaySettings> = {}): Promise<void> => {
  world = await GatewayWorld.open(settings);
};
afterEach(() => world.close());

/** Resolves to the status of the answer to bytes that are sent as they are. */
const statusOf = async (text: string): Promise<number> => {
  const socket = connect(world.port, '127.0.0.1');
  socket.write(text);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer.toString())?.[1]);
};

/** A proxy in between may read these requests in another way than the gateway does. */
describe('an ambiguous request', () => {
  const head = 'POST /api/turns HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const body = '{"projectId":"p","content":"hi"}';
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  it.each([
    ['length and chunks', `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['two lengths', `${head}Content-Length: 4\r\nContent-Length: 32\r\n\r\n${body}`],
    ['a length that is none', `${head}Content-Length: +32\r\n\r\n${body}`],
    ['a blank before the colon', `${head}Transfer-Encoding : chunked\r\n\r\n${chunked}`],
    ['chunks that are not the last coding', `${head}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`],
    ['a chunk size that is none', `${head}Transfer-Encoding: chunked\r\n\r\n0x20\r\n${body}\r\n0\r\n\r\n`],
    ['a folded header', `${head}X-A: 1\r\n Content-Length: 4\r\n\r\n${body}`],
    ['bare line feeds', `${head.replaceAll('\r\n', '\n')}\n`],
    ['a NUL in a header', `${head}X-A: \0\r\nContent-Length: 32\r\n\r\n${body}`],
    ['other than HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s is a bad request, and starts nothing', async (_what, text) => {
    await open();
    expect(await statusOf(text)).toBe(400);
    expect(world.turns.starts).toBe(0);
  });

  it('headers beyond 16 KiB are refused', async () => {
    await open();
    expect(await statusOf(`${head}X-A: ${'x'.repeat(20_000)}\r\n\r\n`)).toBe(431);
  });

  it.each([
    ['CONNECT evil.example:443', [0, 400, 404]],
    ['TRACE /health', [404, 405]],
  ])('%s opens no way through', async (line, statuses) => {
    await open();
    const socket = connect(world.port, '127.0.0.1');
    let text = '';
    socket.on('data', (part) => (text += part.toString()));
    socket.end(`${line} HTTP/1.1\r\nHost: localhost\r\nX-Secret: s3\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');
    expect(statuses).toContain(Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0));
    expect(text).not.toContain('s3');
  });
});

const validBody = { projectId: 'p', content: 'hi' };
let conversations = 0;
/** Returns a turn in a conversation of its own. */
const inNewConversation = (fields: object = {}) => ({
  ...validBody,
  conversationId: `c${(conversations += 1)}`,
  ...fields,
});

describe('Host', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST:5000', true],
    ['127.0.0.1:1', true],
    ['[::1]:5000', true],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['evil.example:5000', false],
    ['user@localhost', false],
    ['localhost.', false],
    ['127.0.0.1.nip.io', false],
    ['2130706433', false],
    ['0x7f.1', false],
    ['[::ffff:127.0.0.1]', false],
    ['localhost:5000@evil.example', false],
    ['evil.example#localhost', false],
  ])('%j is allowed by default: %s', async (host, allowed) => {
    await open();
    const answer = await world.get('/health', { host });
    expect(answer.status).toBe(allowed ? 200 : 403);
    if (!allowed) expect(answer.body['code']).toBe('forbidden_host');
  });

  it.each([
    ['chat.example', true],
    ['chat.example:99', true],
    ['api.example:8443', true],
    ['api.example', false],
    ['api.example:99', false],
    ['localhost', false],
  ])('%j is allowed with a list of hosts: %s', async (host, allowed) => {
    await open({ allowedHosts: ['chat.example', 'api.example:8443'] });
    expect((await world.get('/health', { host })).status).toBe(allowed ? 200 : 403);
  });

  it.each([
    ['two of them', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n'],
    ['the same one twice', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    ['another in the URL', 'GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['none', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('%s is a bad request', async (_what, text) => {
    await open();
    expect(await statusOf(text)).toBe(400);
  });

  it.each([
    ['http://localhost/health', 'localhost', 200],
    ['http://localhost:80/health', 'localhost:80', 200],
    ['http://localhost:80/health', 'localhost', 200],
    ['http://LOCALHOST:5000/health', 'localhost:5000', 200],
    ['http://[::1]:80/health', '[::1]:80', 200],
    ['http://localhost:5000/health', 'localhost:5001', 400],
    ['http://localhost:5000/health', 'localhost', 400],
    ['http://localhost/health', 'localhost/x', 400],
    ['http://localhost/health', 'user@localhost', 400],
  ])('%s with Host %s, which has to repeat it: %i', async (url, host, status) => {
    await open();
    expect(await statusOf(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(status);
  });

  it.each(['x-forwarded-host', 'forwarded', 'x-original-host', 'x-host'])(
    'is not taken from %s',
    async (name) => {
      await open();
      const said = name === 'forwarded' ? 'host=localhost' : 'localhost';
      expect((await world.get('/health', { host: 'evil.example', [name]: said })).status).toBe(403);
      expect((await world.get('/health', { host: 'localhost', [name]: 'evil.example' })).status).toBe(200);
    },
  );

  it('names a wrong entry of the list at the start', async () => {
    await open();
    expect(() => createHostGuard(['http://x'])).toThrow('ORION_ALLOWED_HOSTS: expected host or host:port');
    expect(() => createOriginGuard(['https://x/path'])).toThrow('ORION_ALLOWED_ORIGINS: expected an origin');
  });
});

describe('Origin', () => {
  const from = (origin: string, host = 'localhost:5000') =>
    world.post('/api/turns', inNewConversation(), { origin, host });

  it.each([
    ['http://localhost:5000', 202],
    ['https://localhost:5000', 202],
    ['http://localhost:3000', 403],
    ['http://localhost', 403],
    ['https://evil.example', 403],
    ['null', 403],
    ['localhost:5000', 403],
    ['file://', 403],
    ['http://localhost:5000.evil.example', 403],
    ['http://user@localhost:5000', 403],
    ['http://127.0.0.1:5000', 403],
  ])('%s at localhost:5000 is answered %i', async (origin, status) => {
    await open();
    const answer = await from(origin);
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    if (status === 403) expect(answer.body['code']).toBe('forbidden_origin');
  });

  it.each([
    ['https://chat.example', true],
    ['https://chat.example:444', true],
    ['http://chat.example', false],
    ['https://api.example', true],
    ['https://api.example:443', true],
    ['https://api.example:444', false],
    ['http://any.example:1', true],
    ['https://chat.example.evil.example', false],
  ])('%s is allowed with a list of origins: %s', async (origin, allowed) => {
    await open({ allowedOrigins: ['https://chat.example', 'https://api.example:443', 'any.example'] });
    const answer = await from(origin);
    expect(answer.status).toBe(allowed ? 202 : 403);
    expect(answer.headers['access-control-allow-origin']).toBe(allowed ? origin : undefined);
    expect(answer.headers['vary']).toContain('Origin');
  });

  const preflight = (origin: string) =>
    world.request('OPTIONS', '/api/chat/messages', {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });

  it('answers the preflight of an allowed origin and refuses that of another', async () => {
    await open({ allowedOrigins: ['https://chat.example'] });
    const allowed = await preflight('https://chat.example');
    expect([allowed.status, allowed.text]).toEqual([204, '']);
    expect(allowed.headers['access-control-allow-headers']).toContain('Last-Event-ID');
    expect((await preflight('https://evil.example')).status).toBe(403);
  });

  it('lets pages of an allowed origin use the method of every route', async () => {
    await open({ allowedOrigins: ['https://chat.example'] });
    const { headers } = await preflight('https://chat.example');
    const used = new Set(routesOf(createApp(world.deps())).map((route) => route.split(' ')[0]));
    expect(new Set(headers['access-control-allow-methods']?.split(', '))).toEqual(used);
  });
});

describe('limit of turn starts', () => {
  it('refuses one turn too many with Retry-After, and starts nothing', async () => {
    await open({ turnsPerMinute: 2 });
    const answers = [1, 2, 3].map(() => inNewConversation());
    const statuses: number[] = [];
    for (const body of answers) statuses.push((await world.post('/api/turns', body)).status);
    expect(statuses).toEqual([202, 202, 429]);
    const refused = await world.post('/api/chat/messages', inNewConversation());
    expect(refused.body['code']).toBe('rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(world.turns.starts).toBe(2);
  });

  it('lets known turns be attached to for free, also by many at once and when nothing is left', async () => {
    await open({ turnsPerMinute: 2 });
    const known = inNewConversation({ requestId: 'r1' });
    const many = await Promise.all(Array.from({ length: 20 }, () => world.post('/api/turns', known)));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([202]));
    expect((await world.post('/api/turns', inNewConversation())).status).toBe(202);
    expect((await world.post('/api/turns', inNewConversation())).status).toBe(429);
    expect((await world.post('/api/turns', known)).status).toBe(202);
  });

  it('knows turns that another gateway has started', async () => {
    await open({ turnsPerMinute: 1 });
    const known = inNewConversation({ requestId: 'r1' });
    await world.post('/api/turns', known);
    await world.post('/api/turns', known);
    const other = await GatewayWorld.open(
      { turnsPerMinute: 1 },
      { turns: world.turns, starter: world.turns },
    );
    expect((await other.post('/api/turns', known)).status).toBe(202);
    expect((await other.post('/api/turns', inNewConversation())).status).toBe(202);
    await other.close();
  });

  it('refuses a refused id when it is repeated', async () => {
    await open({ turnsPerMinute: 1 });
    await world.post('/api/turns', inNewConversation());
    const refused = inNewConversation({ requestId: 'r1' });
    const answers = await Promise.all([1, 2, 3].map(() => world.post('/api/turns', refused)));
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429]);
    for (const { headers } of answers) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(world.turns.byId.has('r1')).toBe(false);
  });

  it('is off at 0', async () => {
    await open({ turnsPerMinute: 0 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => world.post('/api/turns', inNewConversation())),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  });
});

describe('limit of open streams', () => {
  it('refuses one stream too many before its turn starts, and takes it once another has closed', async () => {
    await open({ maxStreamsPerClient: 2 });
    const first = await world.chat(inNewConversation({ requestId: 'r1' }));
    await world.record('/api/turns/r1/events');
    const third = await world.post('/api/chat/messages', inNewConversation({ requestId: 'r2' }));
    expect([third.status, third.body['code']]).toEqual([429, 'too_many_streams']);
    expect((await world.get('/api/turns/r1/events')).status).toBe(429);
    expect(world.turns.byId.has('r2')).toBe(false);
    world.end('r1', doneEvent(''));
    await first.ended;
    expect((await world.chat(inNewConversation({ requestId: 'r2' }))).response.status).toBe(200);
  });

  it('counts no answer that did not become a stream', async () => {
    await open({ maxStreamsPerClient: 1 });
    world.turns.outcome = { kind: 'overloaded', cause: 'starting', retryAfterSeconds: 1 };
    for (let i = 0; i < 3; i += 1) {
      expect((await world.post('/api/chat/messages', inNewConversation())).status).toBe(503);
    }
  });
});

it('the lane passes before host checks and body parsers', async () => {
  const lane = Router();
  lane.post('/internal/live', (req, res) => void req.pipe(res));
  world = await GatewayWorld.open({}, { lane });
  const headers = { host: 'gateway-1.internal', 'content-type': 'application/x-ndjson' };
  const answer = await world.request('POST', '/internal/live', { headers, body: '{"channel":1}\n' });
  expect([answer.status, answer.text]).toEqual([200, '{"channel":1}\n']);
});

describe('logs', () => {
  it('name the id that the client of a refused start was given', async () => {
    await open();
    await world.post('/api/turns', { ...validBody, requestId: 'r1' });
    const refused = await world.post('/api/turns', { ...validBody, requestId: 'r2' });
    expect([refused.status, refused.headers['x-request-id']]).toEqual([409, 'r2']);
    expect(world.logLines.at(-1)).toMatchObject({ adoptedId: 'r2', res: { statusCode: 409 } });
  });

  it('carry the request id and one line per turn start, but no header', async () => {
    await open();
    const headers = { authorization: 'Bearer secret', cookie: 'secret', 'x-request-id': 'req-1' };
    await world.post('/api/turns', inNewConversation({ requestId: 'r1' }), headers);
    await world.get('/health');
    const lines = world.logLines.filter(({ requestId }) => requestId === 'req-1');
    expect(lines.map(({ msg }) => msg)).toEqual(['turn started', 'request completed']);
    expect(lines[0]).toMatchObject({ turnId: 'r1', projectId: 'p', protocol: 'two_stage' });
    expect(JSON.stringify(world.logLines)).not.toContain('secret');
    expect(world.logLines).toHaveLength(2);
  });
});

it('answers carry the headers of helmet and no hint of Express', async () => {
  await open();
  const { headers } = await world.get('/api/nothing');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
  expect(headers['x-powered-by']).toBeUndefined();
});

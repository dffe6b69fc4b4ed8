/** Checks that every failure is JSON `{ error, code, details?, requestId }` with the status of docs/http-api.md. */
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../src/base/timing/clock.ts';
import { apiErrorSchema } from '../../../src/contracts/http/errors.ts';
import type { StartOutcome } from '../../../src/gateway/ports/turn-starts.ts';
import { GatewayWorld, type HttpResponse } from '../support/gateway-world.ts';
import { eventually } from '../../support/eventually.ts';
import { cpuAdjustedNow } from '../../support/own-time.ts';

let world: GatewayWorld;
beforeEach(async () => {
  // The real clock is needed because large bodies wait a moment after ones that were refused.
  world = await GatewayWorld.open({}, { clock: systemClock });
});
afterEach(() => world.close());

const validBody = { projectId: 'p', content: 'hi' };
const JSON_TYPE = { 'content-type': 'application/json' };

const expectError = (answer: HttpResponse, status: number, code: string): void => {
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(apiErrorSchema.parse(answer.body)).toEqual(answer.body);
  expect(answer.body['requestId']).toBe(answer.headers['x-request-id']);
  expect(answer.text).not.toMatch(/\n\s+at /);
};

const toolOf = (_: unknown, n: number) => ({ name: `tool_${n}`, description: 'x' });

describe('validation_failed', () => {
  it.each([
    [{ content: 'hi' }, 'projectId', 'a string', 'nothing'],
    [{ projectId: 'p' }, 'content', 'a string', 'nothing'],
    [{ projectId: 'p', content: ' \n' }, 'content', 'text that is not blank', '" \\n"'],
    [{ projectId: 7, content: 'hi' }, 'projectId', 'a string', '7'],
    [{ ...validBody, projectId: 'a/b' }, 'projectId', '1-128 characters of A-Z a-z 0-9 . _ : -', '"a/b"'],
    [{ ...validBody, projectId: '..' }, 'projectId', 'an id other than "." and ".."', '".."'],
    [{ ...validBody, conversationId: '' }, 'conversationId', '1-128 characters of A-Z a-z 0-9 . _ : -', '""'],
    [{ ...validBody, requestId: 'é' }, 'requestId', '1-128 characters of A-Z a-z 0-9 . _ : -', '"é"'],
    [{ ...validBody, mode: 'ask' }, 'mode', '"plan" or "act"', '"ask"'],
    [{ ...validBody, sender: 'robot' }, 'sender', '"user" or "orion" or "system"', '"robot"'],
    [{ ...validBody, metadata: [] }, 'metadata', 'an object', 'an array'],
    [{ ...validBody, metadata: { protocol: 'x' } }, 'metadata.protocol', '"two_stage" or "standard"', '"x"'],
    [{ ...validBody, metadata: { maxPhaseCycles: '3' } }, 'metadata.maxPhaseCycles', 'a number', '"3"'],
    [{ ...validBody, metadata: { maxPhaseCycles: 1.5 } }, 'metadata.maxPhaseCycles', 'an integer', '1.5'],
    [[validBody], 'body', 'an object', 'an array'],
    [
      { ...validBody, tools: Array.from({ length: 65 }, toolOf) },
      'tools',
      'at most 64 items',
      'an array of 65',
    ],
  ])('names field, expected and received: %j', async (body, field, expected, received) => {
    for (const path of ['/api/chat/messages', '/api/chat/messages_two_stage', '/api/turns']) {
      const answer = await world.post(path, body);
      expectError(answer, 400, 'validation_failed');
      expect(answer.body['details']).toEqual([{ field, expected, received }]);
    }
    expect(world.turns.starts).toBe(0);
  });

  it('reports every problem at once', async () => {
    const { body } = await world.post('/api/turns', { mode: 'x' });
    expect(body['details']).toEqual(
      ['projectId', 'content', 'mode'].map((field) => expect.objectContaining({ field })),
    );
  });

  it.each(['{"projectId": ', '', '\u{fffe}'])('refuses the body %j', async (body) => {
    const answer = await world.request('POST', '/api/turns', { headers: JSON_TYPE, body });
    expectError(answer, 400, 'validation_failed');
  });

  it.each(['null', '"text"', '1'])('says that %s is JSON, but not an object', async (body) => {
    for (const path of ['/api/turns', '/api/chat/messages_two_stage', '/api/write-session/begin']) {
      const answer = await world.request('POST', path, { headers: JSON_TYPE, body });
      expectError(answer, 400, 'validation_failed');
      expect(answer.body['details']).toEqual([{ field: 'body', expected: 'an object', received: body }]);
    }
  });

  it.each(['application/json', 'application/json; charset=UTF-8'])(
    'refuses bytes that are not UTF-8 in a body of the type %s',
    async (type) => {
      const body = Buffer.from('{"projectId":"p","content":"\xff\xfe hello"}', 'latin1');
      const answer = await world.request('POST', '/api/turns', { headers: { 'content-type': type }, body });
      expectError(answer, 400, 'validation_failed');
      expect(answer.body['details']).toEqual([
        { field: 'body', expected: 'JSON in UTF-8', received: 'bytes that are not UTF-8' },
      ]);
      expect(world.turns.starts).toBe(0);
    },
  );

  it('reads a body in UTF-16 if its type says so', async () => {
    const type = 'application/json; charset=utf-16le';
    const body = Buffer.from(JSON.stringify(validBody), 'utf16le');
    const answer = await world.request('POST', '/api/turns', { headers: { 'content-type': type }, body });
    expect(answer.status).toBe(202);
  });

  it('names the body that is not compressed as its header says', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    const answer = await world.request('POST', '/api/turns', { headers, body: JSON.stringify(validBody) });
    expectError(answer, 400, 'validation_failed');
    expect(answer.body['details']).toEqual([expect.objectContaining({ field: 'body' })]);
  });

  it('refuses metadata so deep that walking it would end the stack', async () => {
    const deep = `{"projectId":"p","content":"hi","metadata":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    expectError(
      await world.request('POST', '/api/turns', { headers: JSON_TYPE, body: deep }),
      400,
      'validation_failed',
    );
  });

  it('cannot be made to set a prototype', async () => {
    const body = '{"projectId":"p","content":"hi","requestId":"r1","metadata":{"__proto__":{"x":1},"y":2}}';
    await world.request('POST', '/api/turns', { headers: JSON_TYPE, body });
    const metadata = world.turns.byId.get('r1')?.request.metadata;
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(metadata?.['x']).toBeUndefined();
  });

  it('refuses a path that cannot be decoded', async () => {
    const answer = await world.get('/api/turns/%E0%A4%A');
    expectError(answer, 400, 'validation_failed');
    expect(answer.body['details']).toEqual([expect.objectContaining({ field: 'path' })]);
  });
});

describe('payload_too_large', () => {
  const KIB = 1024;

  it('takes 256 KiB of content, counted in UTF-8, and not one byte more', async () => {
    const most = 'é'.repeat(128 * KIB);
    expect((await world.post('/api/turns', { ...validBody, content: most, requestId: 'r1' })).status).toBe(
      202,
    );
    expectError(
      await world.post('/api/turns', { ...validBody, content: `${most}x` }),
      413,
      'payload_too_large',
    );
    expectError(
      await world.post('/api/chat/messages', { ...validBody, content: 'x'.repeat(300 * KIB) }),
      413,
      'payload_too_large',
    );
  });

  it('takes the longest content however JSON writes it', async () => {
    const body = `{"projectId":"p","content":"${'\\u0061'.repeat(256 * KIB)}"}`;
    expect((await world.request('POST', '/api/turns', { headers: JSON_TYPE, body })).status).toBe(202);
  });

  it('refuses a body or metadata that is too large', async () => {
    expectError(
      await world.post('/api/turns', { ...validBody, content: 'x'.repeat(3_000 * KIB) }),
      413,
      'payload_too_large',
    );
    expectError(
      await world.post('/api/turns', { ...validBody, metadata: { a: 'x'.repeat(65 * KIB) } }),
      413,
      'payload_too_large',
    );
  });
});

describe('unsupported_media_type', () => {
  it.each([
    ['text/plain', { field: 'content-type', expected: 'application/json', received: '"text/plain"' }],
    [
      'application/x-www-form-urlencoded',
      {
        field: 'content-type',
        expected: 'application/json',
        received: '"application/x-www-form-urlencoded"',
      },
    ],
    [
      'multipart/form-data; boundary=x',
      { field: 'content-type', expected: 'application/json', received: '"multipart/form-data; boundary=x"' },
    ],
    ['application/json; charset=latin1', { field: 'body', expected: 'JSON in UTF-8', received: '"latin1"' }],
  ])('%s', async (type, detail) => {
    const body = JSON.stringify(validBody);
    for (const path of ['/api/turns', '/api/chat/messages', '/api/turns/r1/cancel']) {
      const answer = await world.request('POST', path, { headers: { 'content-type': type }, body });
      expectError(answer, 415, 'unsupported_media_type');
      expect(answer.body['details']).toEqual([detail]);
    }
  });

  it('a body without a type', async () => {
    const answer = await world.request('POST', '/api/turns', { body: JSON.stringify(validBody) });
    expectError(answer, 415, 'unsupported_media_type');
    expect(answer.body['details']).toEqual([
      { field: 'content-type', expected: 'application/json', received: 'nothing' },
    ]);
  });
});

describe('outcomes of a start', () => {
  it.each<[StartOutcome, number, string, unknown]>([
    [{ kind: 'turn_in_progress', turnId: 't0' }, 409, 'turn_in_progress', { turnId: 't0' }],
    [{ kind: 'idempotency_conflict' }, 409, 'idempotency_conflict', undefined],
    [{ kind: 'unavailable', server: 'database' }, 503, 'database_unavailable', undefined],
    [
      { kind: 'unavailable', server: 'temporal', turnId: 't1' },
      503,
      'temporal_unavailable',
      { turnId: 't1' },
    ],
    [{ kind: 'overloaded', cause: 'running', retryAfterSeconds: 5 }, 503, 'overloaded', undefined],
  ])('%j', async (outcome, status, code, details) => {
    world.turns.outcome = outcome;
    for (const path of ['/api/chat/messages', '/api/turns']) {
      const answer = await world.post(path, validBody);
      expectError(answer, status, code);
      expect(answer.body['details']).toEqual(details);
      if (status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('a second turn in a conversation names the first', async () => {
    await world.post('/api/turns', { ...validBody, requestId: 'r1' });
    const answer = await world.post('/api/chat/messages', validBody);
    expectError(answer, 409, 'turn_in_progress');
    expect(answer.body['details']).toEqual({ turnId: 'r1' });
  });
});

describe('failures behind the routes', () => {
  const routes = ['/api/turns/r1', '/api/turns/r1/events'];

  it.each([
    ['database_unavailable', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    [
      'temporal_unavailable',
      Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: '', metadata: {} }),
    ],
  ])('%s, and recovery without a restart', async (code, failure) => {
    await world.post('/api/turns', { ...validBody, requestId: 'r1' });
    world.turns.failure = failure;
    for (const path of routes) expectError(await world.get(path), 503, code);
    expectError(await world.post('/api/turns', validBody), 503, code);
    world.turns.failure = undefined;
    expect((await world.get('/api/turns/r1')).status).toBe(200);
  });

  it('a database that swallows requests is unavailable, and nobody hangs', async () => {
    world.turns.isHanging = true;
    const began = cpuAdjustedNow();
    const answers = await Promise.all(routes.map((path) => world.get(path)));
    for (const answer of answers) expectError(answer, 503, 'database_unavailable');
    expect(cpuAdjustedNow() - began).toBeLessThan(10_000);
  });

  it('a defect is a 500 that shows nothing and is logged', async () => {
    world.turns.failure = new Error('secret detail');
    const answer = await world.get('/api/turns/r1');
    expectError(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('secret');
    expect(world.logLines).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: 'secret detail' }) }),
    );
  });
});

describe('not_found', () => {
  it.each([
    ['POST', '/'],
    ['GET', '/api'],
    ['GET', '/api/nothing'],
    ['DELETE', '/api/turns/r1'],
    ['PUT', '/api/chat/messages'],
    ['POST', '/internal/live/r1'],
  ])('%s %s', async (method, path) => {
    expectError(await world.request(method, path), 404, 'not_found');
  });
});

describe('X-Request-Id', () => {
  it('is the client’s own when it is valid', async () => {
    const answer = await world.get('/api/nothing', { 'x-request-id': 'abc:1' });
    expectError(answer, 404, 'not_found');
    expect(answer.body['requestId']).toBe('abc:1');
  });

  it.each(['a b', '<script>', 'x'.repeat(129), '..'])('is a new one instead of %j', async (given) => {
    const answer = await world.get('/health', { 'x-request-id': given });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it('a client that leaves while it sends its body disturbs nobody', async () => {
  const request = httpRequest({
    port: world.port,
    method: 'POST',
    path: '/api/turns',
    headers: { ...JSON_TYPE, 'content-length': 1_000 },
  });
  const left = new Promise((resolve) => request.on('error', resolve));
  request.write('{"projectId"', () => request.destroy(new Error('left')));
  await left;
  expect((await world.get('/health')).status).toBe(200);
  // The failure has the error code of a database that hangs up, and must not be logged as one.
  const isLogged = () => world.logLines.some(({ req }) => (req as { method?: string })?.method === 'POST');
  await eventually('the log line of the request', isLogged);
  expect(world.logLines.filter(({ code }) => code === 'database_unavailable')).toEqual([]);
});

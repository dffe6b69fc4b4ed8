/**
 * Covers bodies that are cheap to send and expensive to read: they are refused or have no effect, and the gateway
 * answers others meanwhile.
 */
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
});
afterEach(() => world.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  world.request('POST', '/api/turns', { headers: { ...JSON_TYPE, ...headers }, body });
const MIB = 1024 * 1024;

describe('a body', () => {
  it.each([
    ['of arrays in arrays', `{"projectId":"p","content":"hi","metadata":{"a":${'['.repeat(900_000)}`],
    ['of closed arrays in arrays', `${'['.repeat(900_000)}${']'.repeat(900_000)}`],
    [
      'with deep metadata',
      `{"projectId":"p","content":"hi","metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    ],
    ['of objects in objects', '{"a":'.repeat(300_000)],
    ['of nothing but escapes', `"${'\\u0000'.repeat(300_000)}"`],
    ['that ends in the middle of an escape', '{"projectId":"p","content":"\\u00'],
    ['with half a surrogate as project', '{"projectId":"\\ud800","content":"hi"}'],
    ['of the wrong kind', '[]'],
    ['of nothing', 'null'],
  ])('%s is a bad request', async (_what, body) => {
    expect((await post(body)).status).toBe(400);
    expect(world.turns.starts).toBe(0);
  });

  it.each([
    ['arrays', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['objects', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`],
    ['both', '[{"a":'.repeat(1_000)],
    ['arrays behind an escaped quote', String.raw`{"a":"\"","b":` + '['.repeat(100)],
  ])('of more than 100 levels of %s is refused before it is parsed', async (_what, body) => {
    expect((await post(body)).body).toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'body', expected: 'at most 100 levels of arrays and objects', received: 'more' }],
    });
  });

  it.each(['['.repeat(50_000), '"[{'.repeat(50_000), '\\"\\'.repeat(10_000) + '{'.repeat(1_000)])(
    'with brackets in its text is not refused for them',
    async (content) => {
      expect((await post(JSON.stringify({ projectId: 'p', content }))).status).toBe(202);
    },
  );

  it('of 140,000 keys is too large for metadata', async () => {
    const many = Array.from({ length: 140_000 }, (_, i) => `"k${i}":1`).join(',');
    expect((await post(`{"projectId":"p","content":"hi","metadata":{${many}}}`)).status).toBe(413);
  });

  it('that unpacks to 100 MB is refused before it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MIB, ' '));
    const answer = await post(bomb, { 'content-encoding': 'gzip', 'content-length': String(bomb.length) });
    expect([413, 415]).toContain(answer.status);
    expect((await world.get('/health')).status).toBe(200);
  });

  it.each(['br', 'deflate', 'zstd', 'x-none'])(
    'that only claims to be packed as %s is refused',
    async (encoding) => {
      const answer = await post('{"projectId":"p"}', { 'content-encoding': encoding });
      expect([400, 415]).toContain(answer.status);
    },
  );
});

describe('names of the prototype', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

  it.each(names)('%s as a field changes nothing', async (name) => {
    const evil = `{"isAdmin":true,"projectId":"evil"}`;
    const body = `{"projectId":"p","content":"hi","requestId":"r1","${name}":${evil},"metadata":{"${name}":${evil}}}`;
    expect((await post(body)).status).toBe(202);
    expect(world.turns.byId.get('r1')?.request.projectId).toBe('p');
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect((await post(`{"${name}":${evil}}`)).status).toBe(400);
  });

  it.each(names)('%s in a query changes nothing', async (name) => {
    for (const query of [`${name}=1`, `${name}[projectId]=q`, `projectId[${name}]=q`]) {
      const missing = await world.get(`/api/chat/messages?${query}`);
      expect(missing.body['details']).toMatchObject([{ field: 'projectId', received: 'nothing' }]);
      expect((await world.get(`/api/chat/messages?projectId=p&${query}`)).status).toBe(200);
      expect(world.messages.asked).toEqual({ projectId: 'p', limit: 50, offset: 0 });
    }
    expect((await world.get(`/api/turns/${name}`)).status).toBe(404);
    expect((await world.get(`/api/turns/${name}/events`)).status).toBe(404);
  });
});

describe('an invalid id', () => {
  const ids = [
    "' or '1'='1",
    "x'; drop table turns; --",
    '..%2f..%2fetc',
    '%00',
    'a b',
    '<script>',
    '\u202e',
    'x'.repeat(129),
  ];

  it.each(ids)('%j is refused in path, query and body', async (id) => {
    const written = encodeURIComponent(id).replaceAll('%25', '%');
    for (const path of [`/api/turns/${written}`, `/api/turns/${written}/events`]) {
      expect([400, 404]).toContain((await world.get(path)).status);
    }
    for (const [field, before] of [
      ['projectId', ''],
      ['conversationId', 'projectId=p&'],
    ]) {
      const { status, body } = await world.get(`/api/turns?${before}${field}=${written}`);
      expect([status, body['details']]).toEqual([400, [expect.objectContaining({ field })]]);
    }
    for (const field of ['projectId', 'conversationId', 'requestId']) {
      expect((await post(JSON.stringify({ projectId: 'p', content: 'hi', [field]: id }))).status).toBe(400);
    }
    expect(world.turns.starts).toBe(0);
  });
});

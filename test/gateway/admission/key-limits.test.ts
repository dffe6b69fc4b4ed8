/** Checks that limits are those of the key wherever it is used, and that logs name the key and never show it. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ProtocolName } from '../../../src/contracts/turn/turn-facts.ts';
import { KeyTurnLimit } from '../../../src/gateway/admission/key-turn-limit.ts';
import type { GatewaySettings } from '../../../src/gateway/deps/route-settings.ts';
import { apiKey } from '../support/api-key.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld;
const keys = {
  find: (name: string) => apiKey(name, { opensAll: false, opens: (id) => id !== 'x' }),
};
const open = async (settings: Partial<GatewaySettings>): Promise<void> => {
  world = await GatewayWorld.open(settings, { keys });
};
afterEach(() => world?.close());

let conversations = 0;
const inNewConversation = (fields: object = {}) => ({
  projectId: 'p',
  content: 'hi',
  conversationId: `c${(conversations += 1)}`,
  ...fields,
});
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const start = async (key: string, fields: object = {}): Promise<number> =>
  (await world.post('/api/turns', inNewConversation(fields), as(key))).status;

describe('turn starts per minute', () => {
  it('are counted by key, not by address', async () => {
    await open({ turnsPerMinute: 2 });
    expect([await start('one'), await start('one'), await start('one')]).toEqual([202, 202, 429]);
    expect([await start('two'), await start('two'), await start('two')]).toEqual([202, 202, 429]);
  });

  it('are used up by guessing ids of another project, not by returning to a turn of the key', async () => {
    await open({ turnsPerMinute: 2 });
    const mine = inNewConversation({ requestId: 'mine' });
    for (const status of [202, 202, 202]) {
      expect((await world.post('/api/turns', mine, as('one'))).status).toBe(status);
    }
    expect(await start('two', { projectId: 'q', requestId: 'mine' })).toBe(409);
    expect(await start('two', { projectId: 'r', requestId: 'mine' })).toBe(409);
    expect(await start('two', { projectId: 's', requestId: 'mine' })).toBe(429);
  });

  it('are not used up by a repeat of what could not be stored, in the minute after it', async () => {
    await open({ turnsPerMinute: 1 });
    const again = inNewConversation({ requestId: 'again' });
    await world.clock.pass(59_000);
    world.turns.outcome = { kind: 'overloaded', cause: 'starting', retryAfterSeconds: 1 };
    expect((await world.post('/api/turns', again, as('one'))).status).toBe(503);
    world.turns.outcome = undefined;
    await world.clock.pass(59_000);
    expect((await world.post('/api/turns', again, as('one'))).status).toBe(202);
    expect(await start('one')).toBe(429);
  });
});

it('notes count among the turns of a minute: storing them costs as much', async () => {
  await open({ turnsPerMinute: 3 });
  const note = async (key: string, sender: string) =>
    (await world.post('/api/turns', inNewConversation({ sender }), as(key))).status;
  expect([await note('one', 'system'), await note('one', 'orion'), await start('one')]).toEqual([
    201, 201, 202,
  ]);
  const refused = await world.post('/api/chat/messages', inNewConversation({ sender: 'system' }), as('one'));
  expect([refused.status, refused.body['code']]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await note('two', 'system')).toBe(201);
});

it('open streams are counted by key', async () => {
  await open({ maxStreamsPerClient: 1 });
  await world.chat(inNewConversation({ requestId: 'r1' }), as('one'));
  expect((await world.get('/api/turns/r1/events', as('one'))).status).toBe(429);
  const { response } = await world.record('/api/turns/r1/events', { headers: as('two') });
  expect(response.status).toBe(200);
});

describe('turns that run at once', () => {
  const limits = { two_stage: 2, standard: 1 };
  const wish = (protocol: ProtocolName) => ({ metadata: { protocol } });

  it('are limited by key and protocol, and a turn that ends makes room', async () => {
    await open({ turnsPerKey: limits });
    expect(await start('one', { requestId: 'r1' })).toBe(202);
    expect(await start('one')).toBe(202);
    const refused = await world.post('/api/turns', inNewConversation(), as('one'));
    expect([refused.status, refused.body['code']]).toEqual([429, 'rate_limited']);
    expect(refused.body['error']).toBe('At most 2 two_stage turns of one key may run at once.');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect([await start('one', wish('standard')), await start('one', wish('standard'))]).toEqual([202, 429]);
    expect(await start('two')).toBe(202);
    world.end('r1', doneEvent(''));
    expect(await start('one')).toBe(202);
  });

  it('stay counted until the last of simultaneous starts of one turn is done', async () => {
    const listRunning = () => Promise.resolve([]);
    const limit = new KeyTurnLimit({ limits: { two_stage: 2, standard: 0 }, listRunning });
    const reserve = (turnId: string) => limit.reserve('one', { turnId, protocol: 'two_stage' });
    const [first, repeat] = [await reserve('a'), await reserve('a')];
    const other = await reserve('b');
    first();
    await expect(reserve('c')).rejects.toThrow('At most 2');
    repeat();
    const third = await reserve('c');
    await expect(reserve('d')).rejects.toThrow('At most 2');
    other();
    third();
    await expect(reserve('d')).resolves.toBeInstanceOf(Function);
  });

  it('let a known turn be attached to', async () => {
    await open({ turnsPerKey: limits });
    const known = inNewConversation({ ...wish('standard'), requestId: 'r1' });
    for (const _ of [1, 2, 3]) expect((await world.post('/api/turns', known, as('one'))).status).toBe(202);
  });

  it('hold when many turns start at once', async () => {
    await open({ turnsPerKey: limits });
    const statuses = await Promise.all(Array.from({ length: 20 }, () => start('one')));
    expect(statuses.filter((status) => status === 202)).toHaveLength(2);
  });

  it('forget a start that failed', async () => {
    const limit = new KeyTurnLimit({ limits, listRunning: () => Promise.resolve([]) });
    const turn = { turnId: 't', protocol: 'standard' as const };
    for (const _ of [1, 2, 3]) (await limit.reserve('one', turn))();
    const down = new KeyTurnLimit({ limits, listRunning: () => Promise.reject(new Error('down')) });
    for (const _ of [1, 2, 3]) await expect(down.reserve('one', turn)).rejects.toThrow('down');
  });
});

it('log lines of a request name the key, and none shows it', async () => {
  const secret = 'orion_very-secret';
  world = await GatewayWorld.open({}, { keys: { find: () => apiKey('ci', { opensAll: false }) } });
  await world.post('/api/turns', inNewConversation({ requestId: 'r1' }), as(secret));
  expect(world.logLines.map(({ msg, key }) => [msg, key])).toEqual([
    ['turn started', 'ci'],
    ['request completed', 'ci'],
  ]);
  expect(JSON.stringify(world.logLines)).not.toContain(secret);
});

it('a page of an allowed origin may ask whether it may send a key', async () => {
  world = await GatewayWorld.open({ allowedOrigins: ['https://chat.example'] }, { keys });
  const headers = { origin: 'https://chat.example', 'access-control-request-method': 'POST' };
  const answer = await world.request('OPTIONS', '/api/turns', { headers });
  expect(answer.status).toBe(204);
  expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
});

it('write sessions take the slot of the key, and a refusal says nothing of foreign projects', async () => {
  await open({});
  const begin = (key: string, fields: object = {}) =>
    world.post('/api/write-session/begin', { target_file: 'a.md', operation: 'create', ...fields }, as(key));
  expect((await begin('one', { projectId: 'p' })).status).toBe(200);
  expect(world.writeSessions.begun[0]).toMatchObject({ owner: 'one', projectId: 'p' });
  expect((await begin('two')).body['details']).toMatchObject({ projectId: 'p' });
  for (const row of world.writeSessions.open) {
    world.writeSessions.byId.set(row.sessionId, { ...row, projectId: 'x' });
  }
  expect((await begin('two')).body).toMatchObject({
    error: 'Another write session is already active. Please wait for it to complete.',
    details: { reason: 'Another session has the target.', lock: 'target' },
  });
  expect(JSON.stringify((await begin('two')).body)).not.toContain('a.md');
});

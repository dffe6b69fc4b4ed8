/** Covers input requests over HTTP: who may see them, who may reply, and the answers to a reply. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { apiKey } from '../support/api-key.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

const argsHash = 'a'.repeat(64);

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
  await world.post('/api/turns', { projectId: 'p', content: 'hi', requestId: 't' });
});
afterEach(() => world.close());

const reply = (body: unknown, n: number | string = 1) => world.post(`/api/turns/t/inputs/${n}`, body);

describe('a request', () => {
  beforeEach(() => void world.inputs.ask('t', 'p'));

  it('is shown whole, and in the list without its diff', async () => {
    const { body } = await world.get('/api/turns/t/inputs/1');
    const shown = {
      inputId: 't/1',
      turnId: 't',
      status: 'open',
      kind: 'approval',
      tool: 'FileSystemTool_write_to_file',
      target: 'a.md',
      argsHash,
      default: 'deny',
      resolution: null,
    };
    expect(body).toMatchObject({ input: { ...shown, diff: '--- a.md\n+++ a.md\n@@ -0,0 +1,1 @@\n+x\n' } });
    const list = (await world.get('/api/inputs?projectId=p&status=open')).body;
    expect(list).toMatchObject({ inputs: [shown], more: false });
    expect(list['inputs']).not.toMatchObject([{ diff: expect.anything() }]);
    expect((await world.get('/api/inputs?status=closed')).body).toEqual({ inputs: [], more: false });
  });

  it('is resolved by the first reply, whose repeat gets the same answer', async () => {
    const first = await reply({ reply: 'allow', argsHash });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      input: { status: 'closed', resolution: { reply: 'allow', by: { kind: 'local' } } },
    });
    expect((await reply({ reply: 'allow', argsHash })).text).toBe(first.text);
    const other = await reply({ reply: 'deny' });
    expect([other.status, other.body['code']]).toEqual([409, 'input_closed']);
    expect(other.body['details']).toEqual({ reply: 'allow', by: 'local', at: '2026-01-02T03:05:05.000Z' });
  });

  it.each([
    [{ reply: 'allow' }, 1, 400, 'validation_failed'],
    [{ reply: 'answer' }, 1, 400, 'validation_failed'],
    [{ reply: 'nonsense' }, 1, 400, 'validation_failed'],
    [{ reply: 'deny', note: 'x'.repeat(4_097) }, 1, 400, 'validation_failed'],
    [{ reply: 'answer', content: 'x'.repeat(262_145) }, 1, 400, 'validation_failed'],
    [{ reply: 'edit', argsHash, arguments: { content: 'x'.repeat(65_536) } }, 1, 400, 'validation_failed'],
    [{ reply: 'allow', argsHash: 'b'.repeat(64) }, 1, 409, 'input_changed'],
    [{ reply: 'deny' }, 2, 404, 'input_not_found'],
    [{ reply: 'deny' }, 'x', 404, 'input_not_found'],
    [{ reply: 'deny' }, '0', 404, 'input_not_found'],
  ])('%j to %s is %s %s', async (body, n, status, code) => {
    const answer = await reply(body, n);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });
});

describe('a reply that is too large', () => {
  const argsText = (content: string) => JSON.stringify({ content });

  it.each([
    ['note', { reply: 'deny', note: 'é'.repeat(2_049) }, 4_096, 4_098],
    ['content', { reply: 'answer', content: 'x'.repeat(262_145) }, 262_144, 262_145],
    [
      'arguments',
      { reply: 'edit', argsHash, arguments: { content: 'x'.repeat(65_536) } },
      65_536,
      argsText('x'.repeat(65_536)).length,
    ],
  ])('is answered how large its %s may be and is', async (field, body, most, received) => {
    world.inputs.ask('t', 'p');
    const { details } = (await reply(body)).body as { details: object[] };
    expect(details).toEqual([
      {
        field,
        expected: expect.stringMatching(new RegExp(`^at most ${most} bytes`)),
        received: `${received} bytes`,
      },
    ]);
  });
});

describe('a question', () => {
  const ask = () =>
    world.inputs.ask('t', 'p', {
      kind: 'question',
      message: 'Which colour?',
      request: {
        tool: 'UserTool_ask',
        callId: 'c',
        arguments: '{}',
        effect: 'read',
        options: ['answer', 'deny'],
      },
      argsHash: null,
      diff: null,
    });

  it('has no hash to approve, and takes an answer and its repeat', async () => {
    ask();
    const { body } = await world.get('/api/turns/t/inputs/1');
    expect(body).toMatchObject({ input: { kind: 'question', message: 'Which colour?' } });
    expect(body['input']).not.toHaveProperty('argsHash');
    expect((await reply({ reply: 'answer' })).status).toBe(400);
    const answer = { reply: 'answer', content: 'Blue.' };
    expect((await reply(answer)).body).toMatchObject({ input: { resolution: { reply: 'answer' } } });
    expect((await reply(answer)).status).toBe(200);
    expect((await reply({ ...answer, content: 'Red.' })).status).toBe(409);
  });
});

describe('a request at a limit', () => {
  it('is about no call', async () => {
    const request = { options: ['keep_going', 'answer_now'] as const };
    world.inputs.ask('t', 'p', { kind: 'limit', request, argsHash: null, diff: null, default: 'answer_now' });
    const { body } = await world.get('/api/inputs');
    expect(body).toMatchObject({ inputs: [{ kind: 'limit', options: ['keep_going', 'answer_now'] }] });
    expect((await reply({ reply: 'keep_going' })).status).toBe(200);
  });
});

describe('keys', () => {
  const key = (name: string, projects: readonly string[], approves = true) =>
    apiKey(name, { opensAll: false, projects, approves, opens: (project) => projects.includes(project) });
  const keys = {
    find: (name: string) =>
      ({ anna: key('anna', ['p']), bot: key('bot', ['p'], false), other: key('other', ['q']) })[name],
  };
  const as = (name: string) => ({ authorization: `Bearer ${name}` });

  beforeEach(async () => {
    await world.close();
    world = await GatewayWorld.open({}, { keys });
    await world.post('/api/turns', { projectId: 'p', content: 'hi', requestId: 't' }, as('bot'));
    world.inputs.ask('t', 'p');
  });

  it('reply under their own name, unless they may not', async () => {
    const path = '/api/turns/t/inputs/1';
    const refused = await world.post(path, { reply: 'deny' }, as('bot'));
    expect([refused.status, refused.body['code']]).toEqual([403, 'forbidden']);
    expect((await world.get(path, as('bot'))).body).toMatchObject({ input: { status: 'open' } });
    const { body } = await world.post(path, { reply: 'deny', note: 'no' }, as('anna'));
    expect(body).toMatchObject({ input: { resolution: { by: { kind: 'key', name: 'anna' }, note: 'no' } } });
  });

  it('list what waits in their own projects', async () => {
    const listed = async (name: string) => (await world.get('/api/inputs', as(name))).body['inputs'];
    expect(await listed('anna')).toHaveLength(1);
    expect(await listed('other')).toEqual([]);
    expect((await world.get('/api/inputs?projectId=p', as('other'))).status).toBe(404);
  });

  it('get news of changes in their own projects', async () => {
    const news = await world.record('/api/inputs/news', { headers: as('other') });
    await news.next(() => true);
    await world.clock.pass(1_000);
    for (const project of ['p', 'q']) {
      for (const take of world.followers) take(project);
      await world.clock.pass(1_000);
    }
    await eventually('a second frame', () => news.frames.length === 2);
    for (const take of world.followers) take('p');
    await world.clock.pass(1_000);
    for (const take of world.followers) take('q');
    await eventually('a third frame', () => news.frames.length === 3);
    expect(news.frames).toHaveLength(3);
  });
});

describe('a turn that waits', () => {
  it('says so, and what a new message into its conversation would have to wait for', async () => {
    const waitingFor = { inputId: 't/1', kind: 'approval' as const, expiresAt: '2026-01-03T03:04:05.000Z' };
    const turn = world.turns.byId.get('t');
    if (turn) turn.view = { ...turn.view, waitingFor };
    expect((await world.get('/api/turns/t')).body).toMatchObject({ status: 'waiting', waitingFor });
    const next = await world.post('/api/turns', { projectId: 'p', content: 'more' });
    expect([next.status, next.body['details']]).toEqual([409, { turnId: 't', waitingFor: 't/1' }]);
    expect((await world.post('/api/turns/t/cancel', {})).body).toEqual({ turnId: 't', status: 'waiting' });
  });
});

describe('the news', () => {
  it('says at once, and whenever something may have changed, to look at the list', async () => {
    const news = await world.record('/api/inputs/news');
    const announcements = (): number =>
      news.frames.filter(({ data }) => data['type'] === 'inputs_changed').length;
    await news.next(() => true);
    await world.clock.pass(1_000);
    for (const take of world.followers) take('p');
    await eventually('a second word', () => announcements() === 2);
    // Changes during the pause after an announcement are announced once, together.
    for (const _ of [1, 2, 3]) for (const take of world.followers) take('p');
    await world.clock.pass(1_000);
    await eventually('a third word', () => announcements() === 3);
    await world.clock.pass(1_000);
    expect(announcements()).toBe(3);
    news.close();
    await eventually('nobody who follows', () => world.followers.size === 0);
  });
});

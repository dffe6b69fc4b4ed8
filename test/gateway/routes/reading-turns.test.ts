/** Covers the routes that read, watch and cancel turns, and that list messages. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { turnStatusResponseSchema } from '../../../src/contracts/http/turn-api.ts';
import { doneEvent, GatewayWorld, usage } from '../support/gateway-world.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
});
afterEach(() => world.close());

const start = (requestId: string) =>
  world.post('/api/turns', { projectId: 'p', content: 'hi', conversationId: requestId, requestId });

describe('GET /api/turns/:id/events', () => {
  it('streams native frames to the end', async () => {
    await start('r1');
    const stream = await world.record('/api/turns/r1/events');
    world.say('r1', { type: 'phase', phase: 'action', index: 0, cycle: 0 }, 'Hi');
    world.end('r1', doneEvent('Hi'));
    await stream.ended;
    expect(stream.frames.map(({ id, event }) => `${id} ${event}`)).toEqual([
      '101-1 phase',
      '101-2 chunk',
      '101-3 done',
    ]);
    expect(stream.frames[1]?.data).toEqual({ type: 'chunk', content: 'Hi' });
  });

  it('streams the frames of the message routes when asked for them, with the same ids', async () => {
    await start('r1');
    world.say('r1', { type: 'phase', phase: 'action', index: 0, cycle: 0 }, 'Hi');
    world.end('r1', doneEvent('Hi'));
    const posted = await world.chat({ projectId: 'p', content: 'hi', conversationId: 'r1', requestId: 'r1' });
    const asked = await world.record('/api/turns/r1/events?format=compatible');
    await Promise.all([posted.ended, asked.ended]);
    const seen = ({ frames }: typeof posted) => frames.map(({ id, event, data }) => ({ id, event, data }));
    expect(seen(asked)).toEqual(seen(posted));
    expect(asked.frames[1]?.data).toMatchObject({ chunk: 'Hi', requestId: 'r1' });
    const rest = await world.record('/api/turns/r1/events?format=compatible&after=101-2');
    await rest.ended;
    expect(rest.frames).toHaveLength(1);
    const refused = await world.get('/api/turns/r1/events?format=xml');
    expect([refused.status, refused.body['details']]).toEqual([
      400,
      [{ field: 'format', expected: '"native" or "compatible"', received: '"xml"' }],
    ]);
  });

  it('names the error of a turn turn_error, which EventSource does not take for its own', async () => {
    await start('r1');
    const stream = await world.record('/api/turns/r1/events');
    world.end('r1', { type: 'error', code: 'model_auth', message: 'no key' });
    await stream.ended;
    expect(stream.frames[0]).toMatchObject({ event: 'turn_error', data: { code: 'model_auth' } });
  });

  it.each([
    ['Last-Event-ID', '/api/turns/r1/events', { 'last-event-id': '101-1' }],
    ['?after=', '/api/turns/r1/events?after=101-1', {}],
    [
      'Last-Event-ID rather than an older ?after=',
      '/api/turns/r1/events?after=0-1',
      { 'last-event-id': '101-1' },
    ],
  ])('resumes an ended turn after %s', async (_how, path, headers) => {
    await world.endedTurn('r1', 'a', 'b');
    const stream = await world.record(path, { headers });
    await stream.ended;
    expect(stream.frames.map(({ id }) => id)).toEqual(['101-2', '101-3']);
  });

  it('resumes a running turn without a gap or a repeat', async () => {
    await start('r1');
    world.say('r1', 'a', 'b', 'c');
    const stream = await world.record('/api/turns/r1/events?after=101-2');
    await stream.next(({ id }) => id === '101-3');
    world.say('r1', 'd');
    world.end('r1', doneEvent('abcd'));
    await stream.ended;
    expect(stream.frames.map(({ id }) => id)).toEqual(['101-3', '101-4', '101-5']);
  });

  it('answers 204 when the turn has ended and all of it was delivered, so that EventSource stops', async () => {
    await world.endedTurn('r1', 'a');
    expect((await world.get('/api/turns/r1/events', { 'last-event-id': '101-2' })).status).toBe(204);
  });

  it('answers HEAD at once, though the turn goes on', async () => {
    await start('r1');
    expect((await world.request('HEAD', '/api/turns/r1/events')).headers['x-turn-id']).toBe('r1');
  });

  it.each(['x', '1', '1-2-3', '-1-1', '1-1 '])('refuses the event id %j', async (after) => {
    await start('r1');
    const answer = await world.get(`/api/turns/r1/events?after=${encodeURIComponent(after)}`);
    expect(answer.status).toBe(400);
    expect(answer.body['details']).toEqual([
      { field: 'after', expected: 'an event id <epoch>-<seq>', received: JSON.stringify(after) },
    ]);
  });
});

describe('GET /api/turns/:id', () => {
  it('says what a running turn is doing', async () => {
    await start('r1');
    const waste = { duplicatesRefused: 1, retriedTokens: 2, discardedCharacters: 6 };
    world.turns.live = { phase: 3, cycle: 1, waste, content: 'I will look' };
    const { body } = await world.get('/api/turns/r1');
    expect(turnStatusResponseSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      status: 'running',
      phase: 3,
      cycle: 1,
      usage: null,
      waste,
      content: 'I will look',
      endedAt: null,
    });
    expect(body['temporalUrl']).toBe('http://127.0.0.1:8233/namespaces/default/workflows/turn%2Fr1');
    expect(body['budgets']).toMatchObject({ maxPhaseCycles: 3, maxTurnMs: 600_000 });
  });

  it('answers from the row while the workflow cannot be asked', async () => {
    await start('r1');
    expect((await world.get('/api/turns/r1')).body).toMatchObject({
      phase: 0,
      cycle: 0,
      status: 'running',
      content: null,
    });
  });

  it('says how an ended turn ended', async () => {
    await world.endedTurn('r1', 'Hi');
    const { body } = await world.get('/api/turns/r1');
    expect(turnStatusResponseSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({ status: 'completed', reason: 'answered', content: 'Hi', usage });
    expect(body).toMatchObject({
      startedAt: '2026-01-02T03:04:05.000Z',
      endedAt: '2026-01-02T03:04:09.000Z',
    });
  });

  it('has no link when the address of the Web UI is not known', async () => {
    await world.close();
    world = await GatewayWorld.open({ temporalUi: undefined });
    await start('r1');
    expect((await world.get('/api/turns/r1')).body['temporalUrl']).toBeNull();
  });
});

describe('POST /api/turns/:id/cancel', () => {
  it('asks the workflow and, on the lane, the running attempt; no body needed', async () => {
    await start('r1');
    const controls: unknown[] = [];
    world.hub.opened('r1', 101, (control) => controls.push(control));
    const answer = await world.request('POST', '/api/turns/r1/cancel');
    expect([answer.status, answer.body]).toEqual([202, { turnId: 'r1', status: 'running' }]);
    expect(world.turns.cancelled).toEqual(['r1']);
    expect(controls).toEqual(['cancel']);
  });

  it('answers 200 with the status of an ended turn and cancels nothing', async () => {
    await world.endedTurn('r1', 'a');
    const answer = await world.post('/api/turns/r1/cancel', {});
    expect([answer.status, answer.body]).toEqual([200, { turnId: 'r1', status: 'completed' }]);
    expect(world.turns.cancelled).toEqual([]);
  });
});

describe('POST /api/turns/:id/undo', () => {
  it('waits until the turn has ended', async () => {
    await start('r1');
    const answer = await world.request('POST', '/api/turns/r1/undo');
    expect([answer.status, answer.body['code'], answer.body['details']]).toEqual([
      409,
      'turn_in_progress',
      { turnId: 'r1' },
    ]);
  });

  it('says what became of each file', async () => {
    await world.endedTurn('r1', 'a');
    world.undone = [
      { path: 'a.md', outcome: 'restored' },
      { path: 'b.md', outcome: 'refused', reason: 'the file was changed since the turn' },
    ];
    const answer = await world.request('POST', '/api/turns/r1/undo');
    expect([answer.status, answer.body]).toEqual([
      200,
      { turnId: 'r1', files: world.undone, otherTools: [] },
    ]);
  });
});

describe('an unknown turn', () => {
  it.each([
    ['GET', '/api/turns/none'],
    ['GET', '/api/turns/none/events'],
    ['POST', '/api/turns/none/cancel'],
    ['POST', '/api/turns/none/undo'],
    ['GET', '/api/turns/%00'],
    ['GET', '/api/turns/a%2Fb/events'],
  ])('is a 404 turn_not_found: %s %s', async (method, path) => {
    const answer = await world.request(method, path);
    expect([answer.status, answer.body['code']]).toEqual([404, 'turn_not_found']);
  });
});

describe('GET /api/chat/messages', () => {
  const note = (content: string) => ({ projectId: 'p', content, sender: 'system' });

  it('lists newest first with the total', async () => {
    await world.post('/api/chat/messages', note('one'));
    await world.post('/api/chat/messages', note('two'));
    const { body } = await world.get('/api/chat/messages?project_id=p');
    expect(body).toMatchObject({
      messages: [{ content: 'two', turnId: null, createdAt: '2026-01-02T03:04:05.000Z' }, { content: 'one' }],
      total: 2,
    });
  });

  it.each([
    ['project_id=p', { projectId: 'p', limit: 50, offset: 0 }],
    [
      'projectId=p&conversation_id=c&limit=100&offset=7',
      { projectId: 'p', conversationId: 'c', limit: 100, offset: 7 },
    ],
  ])('asks for %s', async (query, asked) => {
    await world.get(`/api/chat/messages?${query}`);
    expect(world.messages.asked).toEqual(asked);
  });

  it.each([
    ['', 'projectId'],
    ['project_id=', 'projectId'],
    ['project_id=..', 'projectId'],
    ['project_id=p&project_id=q', 'projectId'],
    ['project_id=p&limit=0', 'limit'],
    ['project_id=p&limit=101', 'limit'],
    ['project_id=p&limit=1e1', 'limit'],
    ['project_id=p&limit=', 'limit'],
    ['project_id=p&offset=-1', 'offset'],
    ['project_id=p&conversation_id=a/b', 'conversationId'],
  ])('refuses %j', async (query, field) => {
    const answer = await world.get(`/api/chat/messages?${query}`);
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed']);
    expect(answer.body['details']).toEqual([expect.objectContaining({ field })]);
  });
});

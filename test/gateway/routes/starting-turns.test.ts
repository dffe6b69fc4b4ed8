/** Covers the routes that take a message, over HTTP and with turns in memory. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
});
afterEach(() => world.close());

const validBody = { projectId: 'p', content: 'hi' };
const requestOf = (turnId: string) => world.turns.byId.get(turnId)?.request;

describe('the mode of a turn', () => {
  it('is refused in metadata, where it would let a turn write that was meant only to read', async () => {
    const metadata = { mode: 'plan' };
    const refused = await world.post('/api/turns', { ...validBody, requestId: 'r1', metadata });
    expect([refused.status, refused.body['details']]).toEqual([
      400,
      [
        {
          field: 'metadata.mode',
          expected: '`mode` beside `metadata`, not within it',
          received: '"plan"',
        },
      ],
    ]);
    expect(world.turns.starts).toBe(0);
  });

  it.each([
    [{ mode: 'plan', metadata: { mode: 'plan' } }, 'plan'],
    [{ mode: 'plan', metadata: { mode: 'act' } }, 'plan'],
    [{ metadata: { mode: 'dark' } }, 'act'],
  ])('is that of the body: %j', async (fields, mode) => {
    await world.post('/api/turns', { ...validBody, requestId: 'r1', ...fields });
    expect(requestOf('r1')?.mode).toBe(mode);
  });
});

describe('POST /api/chat/messages', () => {
  it('streams the turn in compatible frames and ends with it', async () => {
    const stream = await world.chat({ ...validBody, requestId: 'r1' });
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('x-turn-id')).toBe('r1');
    expect(stream.response.headers.get('x-request-id')).toBe('r1');
    world.say('r1', 'Hel', 'lo');
    world.end('r1', doneEvent('Hello'));
    await stream.ended;
    expect(stream.frames.map(({ id, data }) => [id, data])).toEqual([
      ['101-1', { chunk: 'Hel', type: 'chunk', requestId: 'r1' }],
      ['101-2', { chunk: 'lo', type: 'chunk', requestId: 'r1' }],
      ['101-3', expect.objectContaining({ done: true, fullContent: 'Hello', phase: 'complete' })],
    ]);
  });

  it('runs the same request fifty times at once as one turn that all of them see', async () => {
    const streams = await Promise.all(
      Array.from({ length: 50 }, () => world.chat({ ...validBody, requestId: 'r1' })),
    );
    expect(world.turns.byId.size).toBe(1);
    world.say('r1', 'Hello');
    world.end('r1', doneEvent('Hello'));
    await Promise.all(streams.map(({ ended }) => ended));
    for (const { frames } of streams) expect(frames.map(({ id }) => id)).toEqual(['101-1', '101-2']);
  });

  it('gives a request that is repeated after its turn has ended the whole answer', async () => {
    await world.endedTurn('r1', 'Hel', 'lo');
    const stream = await world.chat({ ...validBody, conversationId: 'r1', requestId: 'r1' });
    await stream.ended;
    expect(stream.frames.map(({ id }) => id)).toEqual(['101-1', '101-2', '101-3']);
  });

  it('resumes with Last-Event-ID and the same requestId, and says 204 when nothing is left', async () => {
    await world.endedTurn('r1', 'Hel', 'lo');
    const body = { ...validBody, conversationId: 'r1', requestId: 'r1' };
    const stream = await world.chat(body, { 'last-event-id': '101-1' });
    await stream.ended;
    expect(stream.frames.map(({ id }) => id)).toEqual(['101-2', '101-3']);
    const rest = await world.post('/api/chat/messages', body, { 'last-event-id': '101-3' });
    expect(rest.status).toBe(204);
  });

  it('goes on with the turn when its client leaves, and accepts other viewers', async () => {
    const stream = await world.chat({ ...validBody, requestId: 'r1' });
    stream.close();
    await stream.ended;
    world.say('r1', 'Hello');
    world.end('r1', doneEvent('Hello'));
    expect(world.turns.cancelled).toEqual([]);
    const late = await world.record('/api/turns/r1/events');
    await late.ended;
    expect(late.frames.map(({ event }) => event)).toEqual(['chunk', 'done']);
  });

  it('takes two_stage from its route, and answers 501 when that is switched off', async () => {
    const body = { ...validBody, requestId: 'r1', metadata: { protocol: 'standard' } };
    await world.chat(body, {}, '/api/chat/messages_two_stage');
    expect(requestOf('r1')?.protocol).toBe('two_stage');
    await world.close();
    world = await GatewayWorld.open({ offersTwoStage: false });
    const off = await world.post('/api/chat/messages_two_stage', validBody);
    expect([off.status, off.body['code']]).toEqual([501, 'two_stage_disabled']);
    const wished = await world.post('/api/turns', { ...validBody, metadata: { protocol: 'two_stage' } });
    expect(wished.status).toBe(400);
    expect(wished.body['details']).toEqual([
      { field: 'metadata.protocol', expected: '"standard" (two-stage is off)', received: '"two_stage"' },
    ]);
  });

  it('stores messages of orion and system without a turn', async () => {
    const answer = await world.post('/api/chat/messages', {
      ...validBody,
      sender: 'system',
      metadata: { a: 1 },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      projectId: 'p',
      conversationId: 'main',
      sender: 'system',
      turnId: null,
    });
    expect(world.turns.starts).toBe(0);
    expect(world.messages.stored).toHaveLength(1);
  });

  it('stores a note once however often it is posted, and refuses another note under its id', async () => {
    const note = { ...validBody, sender: 'orion', requestId: 'n1' };
    const answers = await Promise.all([1, 2, 3].map(() => world.post('/api/chat/messages', note)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(world.messages.stored).toHaveLength(1);
    const other = await world.post('/api/chat/messages', { ...note, content: 'other' });
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    expect(other.body['error']).toContain('or to a turn that was deleted');
  });
});

describe('POST /api/turns', () => {
  it('answers 202 with the addresses of the turn', async () => {
    const answer = await world.post('/api/turns', { ...validBody, requestId: 'a:b' });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      turnId: 'a:b',
      eventsUrl: '/api/turns/a%3Ab/events',
      statusUrl: '/api/turns/a%3Ab',
    });
    expect(answer.headers.location).toBe('/api/turns/a%3Ab');
    expect((await world.get('/api/turns/a%3Ab')).body['turnId']).toBe('a:b');
  });

  it('names a turn by UUID when the client does not', async () => {
    const { body } = await world.post('/api/turns', validBody);
    expect(body['turnId']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });

  it('takes the Idempotency-Key for the requestId, but not both', async () => {
    const keyed = await world.post('/api/turns', validBody, { 'idempotency-key': 'k1' });
    expect(keyed.body['turnId']).toBe('k1');
    const both = await world.post(
      '/api/turns',
      { ...validBody, requestId: 'r1' },
      { 'idempotency-key': 'k1' },
    );
    expect([both.status, both.body['code']]).toEqual([400, 'validation_failed']);
  });

  it.each([
    [{ project_id: 'p', message: 'hi' }],
    [{ external_id: 'p', content: 'hi' }],
    [{ projectId: 'p', project_id: 'q', content: 'hi', message: 'no' }],
  ])('reads the field names of older clients: %j', async (body) => {
    await world.post('/api/turns', { ...body, requestId: 'r1' });
    expect(requestOf('r1')).toMatchObject({
      projectId: 'p',
      content: 'hi',
      mode: 'act',
      conversationId: 'main',
    });
  });

  it('chooses the protocol of the request, else that of the configuration', async () => {
    await world.post('/api/turns', { ...validBody, requestId: 'r1', conversationId: 'c1' });
    await world.post('/api/turns', { ...validBody, requestId: 'r2', metadata: { protocol: 'standard' } });
    expect([requestOf('r1')?.protocol, requestOf('r2')?.protocol]).toEqual(['two_stage', 'standard']);
    await world.close();
    world = await GatewayWorld.open({ offersTwoStage: false });
    await world.post('/api/turns', { ...validBody, requestId: 'r3' });
    expect(requestOf('r3')?.protocol).toBe('standard');
    const asked = await world.post('/api/turns', { ...validBody, metadata: { protocol: 'two_stage' } });
    expect([asked.status, asked.body['code']]).toEqual([400, 'validation_failed']);
  });

  it('grants another number of phase cycles up to the limit', async () => {
    await world.post('/api/turns', { ...validBody, requestId: 'r1', metadata: { maxPhaseCycles: 50 } });
    expect(requestOf('r1')?.maxPhaseCycles).toBe(50);
    const more = await world.post('/api/turns', { ...validBody, metadata: { maxPhaseCycles: 51 } });
    expect(more.body['details']).toEqual([
      { field: 'metadata.maxPhaseCycles', expected: 'an integer from 0 to 50', received: '51' },
    ]);
  });

  it('takes the tools of a client, which make it another request, and refuses names of our tools', async () => {
    const tools = [{ name: 'app_click', description: 'Clicks \0' }];
    await world.post('/api/turns', { ...validBody, requestId: 'r1', tools });
    expect(requestOf('r1')?.clientTools).toMatchObject([
      { name: 'app_click', description: 'Clicks \ufffd', effect: 'write', parameters: { type: 'object' } },
    ]);
    expect((await world.post('/api/turns', { ...validBody, requestId: 'r1', tools })).status).toBe(202);
    expect((await world.post('/api/turns', { ...validBody, requestId: 'r1' })).body['code']).toBe(
      'idempotency_conflict',
    );
    const shadowing = [{ name: 'FileSystemTool_write_to_file', description: 'x' }];
    const refused = await world.post('/api/turns', { ...validBody, tools: shadowing });
    expect(refused.body['details']).toMatchObject([
      {
        field: 'tools.0.name',
        expected: 'a name that no built-in tool has and that does not begin with mcp__',
      },
    ]);
    const large = [{ name: 'a', description: 'x'.repeat(65_536) }];
    expect((await world.post('/api/turns', { ...validBody, tools: large })).status).toBe(413);
  });

  it('takes the input kinds that a client shows, and refuses kinds that no client can show', async () => {
    await world.post('/api/turns', { ...validBody, requestId: 'r1', metadata: { inputs: ['limit'] } });
    expect(requestOf('r1')?.inputs).toEqual(['limit']);
    const other = await world.post('/api/turns', { ...validBody, metadata: { inputs: ['approval'] } });
    expect(other.body['details']).toMatchObject([{ field: 'metadata.inputs.0', received: '"approval"' }]);
  });

  it('replaces what Postgres cannot hold instead of failing in it', async () => {
    const hostile = {
      ...validBody,
      content: 'a\0b\ud800c',
      metadata: { 'k\0': ['v\udc00'] },
      requestId: 'r1',
    };
    await world.post('/api/turns', hostile);
    expect(requestOf('r1')).toMatchObject({
      content: 'a\ufffdb\ufffdc',
      metadata: { 'k\ufffd': ['v\ufffd'] },
    });
  });

  it('knows a repeated request by its body, whatever the order of keys in its metadata', async () => {
    const first = { ...validBody, requestId: 'r1', metadata: { a: { x: 1, y: 2 }, b: 1 } };
    await world.post('/api/turns', first);
    const again = await world.post('/api/turns', { ...first, metadata: { b: 1, a: { y: 2, x: 1 } } });
    expect(again.status).toBe(202);
  });

  it.each([
    ['project', { projectId: 'q' }],
    ['conversation', { conversationId: 'c' }],
    ['content', { content: 'ho' }],
    ['mode', { mode: 'plan' }],
    ['metadata', { metadata: { a: 1 } }],
  ])('refuses a known requestId with another %s: 409 idempotency_conflict', async (_what, change) => {
    await world.post('/api/turns', { ...validBody, requestId: 'r1' });
    const answer = await world.post('/api/turns', { ...validBody, requestId: 'r1', ...change });
    expect([answer.status, answer.body['code']]).toEqual([409, 'idempotency_conflict']);
  });

  it('refuses a known requestId on a route of another protocol', async () => {
    const body = { ...validBody, requestId: 'r1', metadata: { protocol: 'standard' } };
    await world.post('/api/turns', body);
    const answer = await world.post('/api/chat/messages_two_stage', body);
    expect([answer.status, answer.body['code']]).toEqual([409, 'idempotency_conflict']);
  });
});

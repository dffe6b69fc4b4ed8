/** Covers messages into running turns over HTTP: who may send them, and the answers. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkersMissingError } from '../../../src/temporal/temporal-unavailable.ts';
import { eventually } from '../../support/eventually.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld;
const clientTool = { name: 'app_click', description: 'Clicks', parameters: { type: 'object' } };
beforeEach(async () => {
  world = await GatewayWorld.open();
  await world.post('/api/turns', {
    projectId: 'p',
    conversationId: 'c',
    content: 'hi',
    requestId: 't',
    mode: 'plan',
    metadata: { protocol: 'standard', maxPhaseCycles: 7, model: 'large', inputs: ['limit', 'question'] },
    tools: [clientTool],
  });
});
afterEach(() => world.close());

const say = (body: object, turnId = 't') => world.post(`/api/turns/${turnId}/messages`, body);
const endTurn = (): void => {
  world.steers.close('t');
  world.end('t', doneEvent('Answer.'));
};

describe('a message into a running turn', () => {
  it('is accepted, and a repeat gets the same answer', async () => {
    const message = { content: 'and briefly', messageId: 'm', when: 'now' };
    const first = await say(message);
    expect([first.status, first.body]).toEqual([202, { messageId: 'm', turnId: 't', state: 'accepted' }]);
    expect((await say(message)).text).toBe(first.text);
    expect(world.steers.accepted).toMatchObject([
      { messageId: 'm', content: 'and briefly', when: 'now', by: { kind: 'local' } },
    ]);
    const other = await say({ ...message, content: 'at length' });
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
  });

  it('gets an id when it has none, and waits for the next call unless it says otherwise', async () => {
    const { body } = await say({ content: 'a' });
    expect(body['messageId']).toMatch(/^[\da-f-]{36}$/);
    expect(world.steers.accepted).toMatchObject([{ messageId: body['messageId'], when: 'boundary' }]);
  });

  it('whose answer is lost can be repeated although it had no id, since the answer names its id', async () => {
    world.steers.failure = new WorkersMissingError(new Error('lost'));
    const lost = await say({ content: 'a' });
    expect([lost.status, lost.body['code'], lost.headers['retry-after']]).toEqual([
      503,
      'temporal_unavailable',
      '1',
    ]);
    const { messageId, missing } = lost.body['details'] as Record<string, string>;
    expect(missing).toBe('worker');
    world.steers.failure = undefined;
    expect((await say({ content: 'a', messageId })).body).toMatchObject({ messageId, state: 'accepted' });
    expect(world.steers.accepted).toHaveLength(1);
  });

  it.each([
    ['no content', 400, {}, 'validation_failed'],
    ['content of blanks', 400, { content: ' ' }, 'validation_failed'],
    ['content of 65,537 bytes', 400, { content: 'x'.repeat(65_537) }, 'validation_failed'],
    ['an unknown field', 400, { content: 'x', when: 'later' }, 'validation_failed'],
    ['an id with a blank', 400, { content: 'x', messageId: 'a b' }, 'validation_failed'],
    ['content of 65,536 bytes', 202, { content: 'x'.repeat(65_536) }, undefined],
  ])('with %s is answered with status %i', async (_name, status, body, code) => {
    const answer = await say(body);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  it('is refused beyond what a turn takes', async () => {
    await say({ content: 'x'.repeat(65_536) });
    await say({ content: 'y'.repeat(65_536) });
    const third = await say({ content: 'z' });
    expect([third.status, third.body['code']]).toEqual([429, 'too_many_messages']);
  });

  it('is counted', async () => {
    await say({ content: 'a' });
    expect((await world.get('/metrics')).text).toContain('orion_steers_total{state="accepted"} 1');
  });

  it('into an unknown turn is 404', async () => {
    expect((await say({ content: 'x' }, 'nobody')).status).toBe(404);
  });
});

describe('a message into a turn that no longer takes any', () => {
  /** Resolves once the gateway waits for the end of the turn. */
  const theWait = () => eventually('the wait for the end', () => world.clock.timers > 0);

  it('is refused', async () => {
    endTurn();
    const answer = await say({ content: 'late' });
    expect([answer.status, answer.body['code']]).toEqual([409, 'turn_ended']);
  });

  it('begins the next turn of the conversation, like the one that has ended, once', async () => {
    endTurn();
    const message = { content: 'late', messageId: 'next', queue: true };
    const first = await say(message);
    const queued = { messageId: 'next', turnId: 'next', state: 'queued' };
    expect([first.status, first.body]).toEqual([202, queued]);
    expect((await say(message)).body).toEqual(queued);
    expect(world.turns.byId.get('next')?.request).toMatchObject({
      projectId: 'p',
      conversationId: 'c',
      content: 'late',
      mode: 'plan',
      protocol: 'standard',
      maxPhaseCycles: 7,
      inputs: ['question', 'limit'],
      clientTools: [clientTool],
      // These settings are kept so that a reload of the page asks the same question in the same way.
      metadata: { maxPhaseCycles: 7, model: 'large', inputs: ['question', 'limit'] },
    });
    expect(world.turns.byId.size).toBe(2);
  });

  it('waits for the end of that turn', async () => {
    world.steers.close('t');
    const answer = say({ content: 'late', messageId: 'next', queue: true });
    await theWait();
    world.end('t', doneEvent('Answer.'));
    expect((await answer).body).toMatchObject({ state: 'queued' });
  });

  it('waits two seconds for it, and no longer', async () => {
    world.steers.close('t');
    const answer = say({ content: 'late', messageId: 'next', queue: true });
    await theWait();
    const { starts } = world.turns;
    await world.clock.pass(1_999);
    expect(world.turns.starts).toBe(starts);
    await world.clock.pass(1);
    expect(world.turns.starts).toBe(starts + 1);
    expect([(await answer).status, (await answer).body['code']]).toEqual([409, 'turn_in_progress']);
  });
});

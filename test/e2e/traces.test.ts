/** Tests what a turn leaves in the trace, on the processes of `npm start`. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { traceListSchema, type TraceEvent } from '../../src/contracts/http/trace-api.ts';
import type { ChatClient } from '../support/chat-client.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import {
  answer,
  heldAnswer,
  refusal,
  answerWithCall,
  answerWithCalls,
} from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { recordedText, violations } from '../support/recording-check.ts';
import { useStack } from '../support/use-stack.ts';
import { readHistory } from './support/turn-history.ts';

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
useStack({}, (started) => void ({ stack, chat, fake } = started));

const tracesOf = async (requestId: string, more = ''): Promise<TraceEvent[]> => {
  const list = await chat.json(`/api/trace/logs?projectId=test&requestId=${requestId}&limit=200${more}`);
  return traceListSchema.parse(list).events;
};

/** Returns `type phase/cycle` of each trace, in reading order. */
const lines = (events: readonly TraceEvent[]): string[] =>
  events.map(({ type, phaseIndex, cycleIndex }) => `${type} ${phaseIndex ?? '-'}/${cycleIndex ?? '-'}`);

const ONE_TOOL_TURN = [
  'user_message -/-',
  'orchestration_phase_start 0/0',
  'llm_call 0/0',
  'llm_result 0/0',
  'orchestration_phase_end 0/0',
  'orchestration_phase_start 1/0',
  'tool_call 1/0',
  'tool_result 1/0',
  'orchestration_phase_end 1/1',
  'orchestration_phase_start 2/1',
  'llm_call 2/1',
  'llm_result 2/1',
  'orchestration_phase_end 2/1',
  'orion_response -/-',
];

/** The same call twice, with two ids. */
const twice = answerWithCalls(['list_files', { path: '.' }], ['list_files', { path: '.' }]);

describe('the trace of a turn', () => {
  it('with one tool has each step once, in order, when `done` is seen', async () => {
    fake.script(answerWithCall('list_files', { path: '.' }, { text: 'Looking. ' }), answer('Nothing there.'));
    const stream = await chat.chat({ content: 'What is there?', requestId: 'one-tool' });
    await stream.ended;
    const events = await tracesOf('one-tool');
    expect(lines(events)).toEqual(ONE_TOOL_TURN);
    expect(new Set(events.map(({ requestId }) => requestId))).toEqual(new Set(['one-tool']));
    const times = events.map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(events[0]).toMatchObject({ source: 'user', summary: 'What is there?' });
    expect(events[2]).toMatchObject({ details: { model: 'fake', messages: 2 } });
    expect(events[3]).toMatchObject({ details: { end: 'tool_calls', text: 'Looking. ' } });
    expect(events[6]).toMatchObject({ source: 'orion', details: { arguments: { path: '.' } } });
    expect(events[7]).toMatchObject({ source: 'tool', details: { success: true } });
    expect(events.at(-1)).toMatchObject({ summary: 'answered', details: { status: 'completed' } });
  });

  it('is complete, and nothing is in it twice, after kill -9 of every worker in mid-stream', async () => {
    fake.rules(
      { match: { lastRole: 'user' }, responses: [answerWithCall('list_files', { path: '.' })], repeat: true },
      { responses: [heldAnswer(150, 50, 50, 'killed')], repeat: true },
    );
    await chat.start({ content: 'long', requestId: 'killed' });
    let killed = false;
    await chat.follow('killed', (frame) => {
      if (killed || !String(frame.data['content']).startsWith('#50@')) return;
      killed = true;
      void stack.kill('worker').then(() => fake.release('killed'));
    });
    expect(killed).toBe(true);
    const events = await tracesOf('killed');
    expect(lines(events)).toEqual(ONE_TOOL_TURN);
    expect(events[11]).toMatchObject({ type: 'llm_result', details: { attempt: 2 } });
  });

  it('has a provider that failed first, and a duplicate that was refused', async () => {
    fake.script(
      refusal(500, { message: 'overloaded' }),
      answerWithCall('list_files', { path: '.' }),
      answerWithCall('list_files', { path: '.' }),
      answer('Nothing.'),
    );
    const stream = await chat.chat({ content: 'twice', requestId: 'twice' });
    await stream.ended;
    const events = await tracesOf('twice');
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'llm_call')).toHaveLength(3);
    expect(types.filter((type) => type === 'llm_result')).toHaveLength(3);
    expect(types.filter((type) => type === 'tool_result')).toHaveLength(1);
    expect(types.indexOf('system_error')).toBe(types.indexOf('llm_call') + 1);
    expect(events.find(({ type }) => type === 'system_error')).toMatchObject({
      error: expect.stringContaining('overloaded'),
      details: { code: 'model_unavailable', attempt: 1, final: false },
    });
    expect(events.find(({ type }) => type === 'duplicate_tool_call')).toMatchObject({ phaseIndex: 3 });
    expect((await tracesOf('twice', '&type=error_occurred')).map(({ type }) => type)).toEqual([
      'system_error',
    ]);
  });

  it.each([
    ['two_stage', 3],
    ['standard', 1],
  ])(
    'names the phase in every row of one, and in that of a duplicate its call: %s',
    async (protocol, phaseIndex) => {
      const again = answerWithCall('list_files', { path: '.' });
      fake.script(...(protocol === 'standard' ? [twice] : [again, again]), answer('Nothing.'));
      const requestId = `phases-${protocol}`;
      const stream = await chat.chat(
        { content: 'twice', requestId, metadata: { protocol } },
        '/api/chat/messages',
      );
      await stream.ended;
      const events = await tracesOf(requestId);
      const rows = events.filter(({ type }) => type.startsWith('orchestration_phase_'));
      const phases = rows.map(({ phaseIndex: index, details }) => [index, details]);
      expect(phases).toEqual(rows.map((_, i) => [i >> 1, { phase: (i >> 1) % 2 === 0 ? 'action' : 'tool' }]));
      expect(events.filter(({ type }) => type === 'duplicate_tool_call')).toMatchObject([
        { phaseIndex, details: { phase: 'tool', name: 'FileSystemTool_list_files' } },
      ]);
      expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
    },
  );

  it('keeps the reasoning that no reader saw', async () => {
    fake.script({
      steps: [{ reasoning: 'Hmm, ' }, { reasoning: 'well.' }, ...(answer('Yes.').steps ?? [])],
    });
    const stream = await chat.chat({ content: 'Sure?', requestId: 'reasoning' });
    await stream.ended;
    const result = (await tracesOf('reasoning')).find(({ type }) => type === 'llm_result');
    expect(result?.details).toMatchObject({ text: 'Yes.', reasoning: 'Hmm, well.', reasoningCharacters: 10 });
  });
});

describe('a trace store that is down', () => {
  let client: pg.Client;
  beforeEach(async () => {
    client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
  });
  // Both undo what a test that failed has left behind. The end of the connection ends its transaction and its lock.
  afterEach(async () => {
    await client.query('rollback; alter table if exists trace_events_away rename to trace_events');
    await client.end();
  });

  const oneToolTurn = async (requestId: string): Promise<void> => {
    fake.script(answerWithCall('list_files', { path: '.' }), answer('Still ', 'here.'));
    const stream = await chat.chat({ content: 'Are you there?', requestId });
    await stream.ended;
    expect(violations(stream.frames)).toEqual([]);
    expect(recordedText(stream.frames)).toBe('Still here.');
    expect(await chat.json(`/api/turns/${requestId}`)).toMatchObject({ status: 'completed' });
  };

  it('stops no turn when its table is gone', async () => {
    await client.query('alter table trace_events rename to trace_events_away');
    await oneToolTurn('store-gone');
    await client.query('alter table trace_events_away rename to trace_events');
    await oneToolTurn('store-back');
    expect(lines(await tracesOf('store-back'))).toEqual(ONE_TOOL_TURN);
  });

  it('stops no turn when its table is locked, and keeps each activity waiting once, for 0.5 s', async () => {
    await oneToolTurn('store-open');
    const { activities: usual } = await readHistory('store-open');
    await client.query('begin; lock table trace_events in access exclusive mode');
    const lockedTurns: (typeof usual)[] = [];
    for (const requestId of ['store-locked-1', 'store-locked-2', 'store-locked-3']) {
      await oneToolTurn(requestId);
      lockedTurns.push((await readHistory(requestId)).activities);
    }
    const types = usual.map(({ type }) => type);
    expect(lockedTurns.map((locked) => locked.map(({ type }) => type))).toEqual([types, types, types]);
    // A busy machine may delay one of three turns, while a second wait would delay each of them.
    const delays = usual.map(({ type, ranMs }, i) => ({
      type,
      delayMs: Math.min(...lockedTurns.map((locked) => locked[i]!.ranMs)) - ranMs,
    }));
    expect(Math.max(...delays.map(({ delayMs }) => delayMs))).toBeGreaterThan(400);
    expect(delays.filter(({ delayMs }) => delayMs > 900)).toEqual([]);
  });
});

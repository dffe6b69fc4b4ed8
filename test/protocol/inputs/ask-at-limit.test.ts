/** Covers a turn that would end at a limit, and first asks whether it may go on (docs/inputs.md "At a limit"). */
import { describe, expect, it } from '@jest/globals';
import { StandardProtocol } from '../../../src/protocol/protocols/standard-protocol.ts';
import type { AcceptedInputKind } from '../../../src/contracts/wire/input-events.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import {
  asks,
  collect,
  ends,
  type FakeTurnParts,
  fakeTurn,
  noticesOf,
  terminalOf,
} from '../../support/fake-ports.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedInputs, type ScriptedReply } from '../support/scripted-inputs.ts';
import { asking, forEver, read, run } from '../support/two-stage-run.ts';

const NEVER = { rules: [], setting: 'never' as const };

const play = async (
  replies: readonly ScriptedReply[],
  more: FakeTurnParts = {},
  accepted: readonly AcceptedInputKind[] = ['limit'],
) => {
  const inputs = new ScriptedInputs(NEVER, replies, () => 0, accepted);
  return { inputs, ...(await run({ model: forEver((n) => read(`f${n}`)), inputs, ...more })) };
};

const requestsOf = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'input_requested' ? [event] : []));

describe('a turn at its limit', () => {
  it('runs as many tools again when a person allows it, and asks again', async () => {
    const { tools, events, end } = await play(['allow', 'deny']);
    expect(tools.executed).toHaveLength(6);
    expect(requestsOf(events)).toMatchObject([
      {
        inputId: 'r1/1',
        kind: 'limit',
        message: '3 tools have run, as many as this turn may. Shall it go on?',
        options: ['keep_going', 'answer_now'],
        default: 'answer_now',
      },
      { message: '6 tools have run, as many as this turn may. Shall it go on?' },
    ]);
    expect(noticesOf(events)).toEqual(['cycle_limit']);
    expect(end).toMatchObject({ reason: 'cycles', fullContent: 'Answer.' });
  });

  it('tells the model that it may go on, and again when its last cycle begins', async () => {
    const { adapter } = await play(['allow', 'deny']);
    const told = adapter.calls.map(({ messages }) =>
      messages.flatMap(({ role, content }) => (role === 'system' ? [content.slice(0, 12)] : [])),
    );
    expect(told.slice(2, 6)).toEqual([
      ['One tool exe'],
      ['One tool exe', 'The user wan'],
      ['One tool exe', 'The user wan'],
      ['One tool exe', 'The user wan', 'One tool exe'],
    ]);
  });

  it('runs no more tools than any turn may, and asks nobody when nothing is left to grant', async () => {
    const config = { maxPhaseCyclesLimit: 5 };
    const { inputs, tools, end } = await play(['allow'], { config });
    expect(tools.executed).toHaveLength(5);
    expect(inputs.asked).toHaveLength(1);
    expect(end).toMatchObject({ reason: 'cycles' });
  });

  it.each<[string, ScriptedReply]>([
    ['answer now', 'deny'],
    ['nothing in time', 'expiry'],
    ['nothing, since it could not be asked', 'lost'],
  ])('answers when the reply is: %s', async (_what, reply) => {
    const { tools, end } = await play([reply]);
    expect(tools.executed).toHaveLength(3);
    expect(end).toMatchObject({ reason: 'cycles', fullContent: 'Answer.' });
  });

  it('asks only a client that shows such requests', async () => {
    const { inputs, end } = await play(['allow'], {}, []);
    expect(inputs.asked).toEqual([]);
    expect(end).toMatchObject({ reason: 'cycles' });
  });

  it('counts duplicates from the grant on, and reports the one that reached the limit', async () => {
    const { events, adapter, tools, end } = await play(['allow', 'deny'], {
      model: forEver(() => read('same')),
    });
    expect(tools.executed).toHaveLength(1);
    expect(requestsOf(events)[0]?.message).toBe(
      'The model keeps asking for calls that have run already. Shall it go on?',
    );
    expect(noticesOf(events)).toEqual([...Array<string>(5).fill('duplicate'), 'duplicate_limit']);
    expect(adapter.calls[4]?.messages.slice(-2).map(({ content }) => content.slice(0, 23))).toEqual([
      'Duplicate tool call det',
      'The user wants you to g',
    ]);
    expect(end).toMatchObject({ reason: 'duplicates' });
  });

  it('asks when calls bring nothing new', async () => {
    const { events, tools } = await play(['allow', 'deny'], {
      tool: () => ({ success: true, result: 'same' }),
      config: { maxPhaseCycles: 50, maxNoProgress: 2 },
    });
    expect(requestsOf(events).map(({ message }) => message)).toEqual(
      Array(2).fill('Tool calls bring no new results. Shall it go on?'),
    );
    expect(tools.executed).toHaveLength(5);
  });

  it('has the same time once more, after a model call that was cut', async () => {
    const clock = new ManualClock(1_000_000);
    const { adapter, events, end } = await play(['allow', 'deny'], {
      clock,
      config: { maxTurnMs: 1_000 },
      model: (n, _messages, { tools }) => {
        clock.skip(tools ? 1_000 : 0);
        return tools ? [asks(read(`${n}`)), ends('tool_calls')] : [ends()];
      },
    });
    expect(requestsOf(events).map(({ message }) => message)).toEqual([
      'The turn has worked for 1 s, as long as it may. Shall it go on?',
      'The turn has worked for 2 s, as long as it may. Shall it go on?',
    ]);
    expect(adapter.calls.map(({ options }) => options.deadline)).toEqual([1_001_000, 1_002_000, 1_062_000]);
    expect(end).toMatchObject({ reason: 'time' });
  });

  it.each([
    [
      'malformed calls',
      { model: forEver(() => ({ ...read('a'), function: { name: 'Files_read', arguments: '{' } })) },
    ],
    ['tokens', { config: { maxTurnTokens: 1 }, model: asking(read('a'.repeat(100))) }],
  ])('is not asked about: %s', async (_what, more: FakeTurnParts) => {
    expect((await play(['allow'], more)).inputs.asked).toEqual([]);
  });

  it('ends at once when it is cancelled while it waits', async () => {
    const cancellation = { isRequested: false };
    const cancel = (): number => {
      cancellation.isRequested = true;
      return 0;
    };
    const inputs = new ScriptedInputs(NEVER, ['allow'], cancel, ['limit'], cancellation);
    const { end, events } = await run({ model: forEver((n) => read(`f${n}`)), inputs, cancellation });
    expect(end).toMatchObject({ status: 'cancelled' });
    expect(events.at(-2)).toMatchObject({ type: 'input_requested' });
  });
});

describe('a standard turn', () => {
  it('asks when its time is over, and nothing about its five model calls', async () => {
    const clock = new ManualClock(1_000_000);
    const inputs = new ScriptedInputs(NEVER, ['allow'], () => 0, ['limit']);
    const { context, adapter } = fakeTurn({
      inputs,
      clock,
      config: { maxTurnMs: 1_000 },
      model: (n) => {
        clock.skip(500);
        return [asks(read(`${n}`)), ends('tool_calls')];
      },
    });
    const events = await collect(new StandardProtocol(context).executeStreaming(context));
    expect(requestsOf(events)).toHaveLength(2);
    expect(adapter.calls).toHaveLength(5);
    expect(terminalOf(events)).toMatchObject({ reason: 'cycles' });
  });
});

/** Covers what model and events say when users send messages into a turn (docs/inputs.md "Steering"). */
import { describe, expect, it } from '@jest/globals';
import type { AcceptedSteer } from '../../src/contracts/inputs/steering.ts';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { SteerQueue } from '../../src/protocol/inputs/steer-queue.ts';
import type { ModelAnswer, ModelPort } from '../../src/protocol/ports/model-port.ts';
import { createProtocol } from '../../src/protocol/protocols/protocol-registry.ts';
import { collect, fakeTurn, terminalOf, toolCall, type FakeTurnParts } from '../support/fake-ports.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { ScriptedInputs } from './support/scripted-inputs.ts';

const by = { kind: 'local' } as const;
const at = '2026-01-05T09:00:00.000Z';
const read = (path: string) => toolCall('Files_read', { path });

type Answer = Partial<ModelAnswer> & { readonly steer?: Partial<AcceptedSteer> };

/** Plays a turn whose model answers from a list, and whose user sends messages meanwhile. */
const play = async (
  answers: readonly Answer[],
  {
    protocol = 'two_stage',
    queue = new SteerQueue(),
    onCall = () => {},
    ...more
  }: FakeTurnParts & { protocol?: 'two_stage' | 'standard'; queue?: SteerQueue; onCall?: () => void } = {},
) => {
  let said = 0;
  const say = (steer: Partial<AcceptedSteer>): void => {
    said += 1;
    queue.accept({ messageId: `m${said}`, content: `say ${said}`, when: 'boundary', by, at, ...steer });
  };
  const deadlines: number[] = [];
  const asked: { roles: string; last: string; tools: boolean }[] = [];
  const adapter: ModelPort = {
    callModel: (messages, { tools, deadline }) => {
      deadlines.push(deadline);
      onCall();
      const { steer, ...answer } = answers[asked.length] ?? { text: 'Answer.' };
      asked.push({
        roles: messages.map(({ role }) => role[0]).join(''),
        last: messages.at(-1)?.content ?? '',
        tools,
      });
      if (steer) say(steer);
      return Promise.resolve({
        text: '',
        calls: [],
        hasTooManyCalls: false,
        end: 'stop',
        usage: { promptTokens: 1, completionTokens: 1 },
        ...answer,
      });
    },
  };
  const turn = fakeTurn({ adapter, steers: queue, ...more });
  const events = await collect(createProtocol(protocol, turn.context).executeStreaming(turn.context));
  return { ...turn, queue, say, asked, deadlines, events, end: terminalOf(events) };
};

const steersIn = (events: readonly TurnEvent[]) => events.filter((event) => event.type === 'steer');

describe.each(['two_stage', 'standard'] as const)('a %s turn that is steered', (protocol) => {
  it('reads a message that came before its first call', async () => {
    const queue = new SteerQueue();
    queue.accept({ messageId: 'm', content: 'and briefly', when: 'boundary', by, at });
    const { asked, events, end } = await play([], { protocol, queue });
    expect(asked).toEqual([{ roles: 'uu', last: 'and briefly', tools: true }]);
    expect(events[0]).toEqual({
      type: 'steer',
      messageId: 'm',
      content: 'and briefly',
      by,
      at,
      interrupted: false,
    });
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it('reads it after the tool that ran meanwhile', async () => {
    const { asked, events } = await play([{ calls: [read('a')], steer: {} }], { protocol });
    expect(asked[1]).toEqual({ roles: 'uatu', last: 'say 1', tools: true });
    const types = events.map(({ type }) => type).filter((type) => type !== 'chunk');
    expect(types.slice(2)).toEqual(['tool_result', 'steer', 'phase', 'done']);
  });

  it('goes on after its answer, which the model keeps', async () => {
    const { asked, end, events } = await play([{ text: 'First.', steer: {} }, { text: 'Second.' }], {
      protocol,
    });
    expect(asked[1]).toEqual({ roles: 'uau', last: 'say 1', tools: true });
    expect(end).toMatchObject({ reason: 'answered', fullContent: 'First.Second.' });
    expect(steersIn(events)).toHaveLength(1);
  });

  it('ends a call that was interrupted, and keeps what was said', async () => {
    const { asked, events } = await play(
      [{ text: 'Fir', end: 'steered', calls: [read('a')], steer: { when: 'now' } }],
      { protocol },
    );
    expect(asked[1]).toEqual({ roles: 'uau', last: 'say 1', tools: true });
    expect(steersIn(events)).toMatchObject([{ interrupted: true }]);
  });

  it('does not run a call that has not begun, counts no cycle for it, and tells the model', async () => {
    const { asked, events, tools, end } = await play([{ calls: [read('a')], steer: { when: 'now' } }], {
      protocol,
    });
    expect(tools.executed).toEqual([]);
    expect(asked[1]?.roles).toBe('uatu');
    expect(steersIn(events)).toMatchObject([{ interrupted: true }]);
    expect(events.map(({ type }) => type)).not.toContain('tool_result');
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it('runs a call again that had run before the message', async () => {
    const { tools } = await play([{ calls: [read('a')], steer: {} }, { calls: [read('a')] }], { protocol });
    expect(tools.executed).toHaveLength(2);
  });

  it('reads messages after its time is over in five answers of a minute, and hands back what comes then', async () => {
    const clock = new ManualClock(1_000_000);
    const late = Array.from({ length: 6 }, () => ({ text: 'Late.', steer: {} }));
    const { asked, deadlines, events, end, queue } = await play(
      [{ text: 'Cut', end: 'time', steer: {} }, ...late],
      { protocol, clock, config: { maxTurnMs: 1_000, maxLateAnswers: 5 }, onCall: () => clock.skip(2_000) },
    );
    expect(asked.map(({ tools }) => tools)).toEqual([true, false, false, false, false, false]);
    expect(deadlines.slice(1)).toEqual([2, 4, 6, 8, 10].map((s) => 1_060_000 + s * 1_000));
    expect(steersIn(events).map(({ messageId }) => messageId)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    expect(queue.close().map(({ messageId }) => messageId)).toEqual(['m6']);
    expect(end).toMatchObject({ reason: 'time', status: 'completed' });
  });

  it('hands back a message that comes when no token is left', async () => {
    const { queue, end, events } = await play(
      [{ text: 'x', usage: { promptTokens: 1, completionTokens: 99 }, calls: [read('a')], steer: {} }],
      { protocol, config: { maxTurnTokens: 30 } },
    );
    expect(end).toMatchObject({ reason: 'tokens' });
    expect(steersIn(events)).toEqual([]);
    expect(queue.close().map(({ messageId }) => messageId)).toEqual(['m1']);
  });

  it('hands a message back when the model fails', async () => {
    const { queue, end } = await play([{ error: new Error('broke'), steer: {} }], { protocol });
    expect(end).toMatchObject({ type: 'error' });
    expect(queue.close()).toHaveLength(1);
  });
});

describe('a grant', () => {
  it('is one more budget of tools, after the forced answer, too', async () => {
    const { end, asked, tools, events } = await play(
      [
        { calls: [read('a')] },
        { text: 'Forced.', steer: {} },
        { calls: [read('b')] },
        { text: 'Forced again.' },
      ],
      { config: { maxPhaseCycles: 1 } },
    );
    expect(asked.map((one) => one.tools)).toEqual([true, false, true, false]);
    expect(tools.executed).toHaveLength(2);
    expect(end).toMatchObject({ reason: 'cycles', fullContent: 'Forced.Forced again.' });
    expect(steersIn(events)).toHaveLength(1);
  });

  it('stays within the limit of tools', async () => {
    const { tools, end } = await play(
      Array.from({ length: 8 }, (_, i) => ({ calls: [read(`f${i}`)], steer: {} })),
      { config: { maxPhaseCycles: 3, maxPhaseCyclesLimit: 5 } },
    );
    expect(tools.executed).toHaveLength(5);
    expect(end).toMatchObject({ reason: 'cycles' });
  });
});

describe('a turn at its limit', () => {
  it('reads messages that came while it asked, instead of being forced to answer', async () => {
    const queue = new SteerQueue();
    const wait = (): number => {
      const steer = { messageId: 'm', content: 'go on so', when: 'boundary', by, at } as const;
      if (queue.judge(steer).kind === 'counts') queue.accept(steer);
      return 0;
    };
    const inputs = new ScriptedInputs({ rules: [], setting: 'never' }, ['deny'], wait, ['limit']);
    const { asked, events, tools, end } = await play([{ calls: [read('a')] }, { calls: [read('b')] }], {
      queue,
      inputs,
      config: { maxPhaseCycles: 1 },
    });
    // The message is followed by the hint that one tool is left.
    expect(asked[1]).toMatchObject({ roles: 'usatus', tools: true });
    expect(steersIn(events)).toMatchObject([{ content: 'go on so' }]);
    expect(tools.executed).toHaveLength(2);
    expect(end).toMatchObject({ reason: 'cycles' });
  });
});

describe('a turn that asks', () => {
  it('does not ask about a call that a message has interrupted', async () => {
    const inputs = new ScriptedInputs({ rules: [], setting: 'all' }, ['allow']);
    const { tools, events } = await play([{ calls: [read('a')], steer: { when: 'now' } }], { inputs });
    expect(inputs.asked).toEqual([]);
    expect(tools.executed).toEqual([]);
    expect(events.map(({ type }) => type)).not.toContain('input_requested');
  });
});

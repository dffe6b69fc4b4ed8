/**
 * Covers a turn whose prompts leave out results of its own: which calls may run again (docs/protocol.md "Duplicates").
 */
import { describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';
import { StandardProtocol } from '../../src/protocol/protocols/standard-protocol.ts';
import { TwoStageProtocol } from '../../src/protocol/protocols/two-stage-protocol.ts';
import { collect, fakeTurn, terminalOf, toolCall } from '../support/fake-ports.ts';
import { ScriptedAnswers, type ScriptedAnswerParts } from './support/scripted-answers.ts';
import { chunkOf, read } from './support/two-stage-run.ts';

/** One answer of the model: the call that it makes, and whether its prompt was sent without earlier results. */
interface Answer {
  readonly call?: ToolCall;
  readonly leavesOutResults?: boolean;
}

/** Returns a model whose prompts leave out all results except the new ones. */
const forgetful = (...answers: readonly Answer[]): ScriptedAnswers =>
  new ScriptedAnswers(...answers.map(({ call, leavesOutResults }) => partsOf(call, leavesOutResults)));

const partsOf =
  (call: ToolCall | undefined, leavesOutResults = false): ScriptedAnswerParts =>
  (messages, before) => {
    const results = messages.flatMap(({ role }, at) => (role === 'tool' && at < before.length ? [at] : []));
    return {
      ...(call ? { calls: [call] } : { text: 'Answer.' }),
      ...(leavesOutResults && { leftOut: results }),
    };
  };

const play = async (
  model: ScriptedAnswers,
  protocol: 'two_stage' | 'standard' = 'two_stage',
  config: Record<string, number> = { maxPhaseCycles: 20 },
) => {
  const turn = fakeTurn({ config, tool: () => ({ success: true, result: 'the same as ever' }) });
  const context = { ...turn.context, adapter: model };
  const Protocol = protocol === 'standard' ? StandardProtocol : TwoStageProtocol;
  const events = await collect(new Protocol({ ...context, adapter: model }).executeStreaming(context));
  const executed = turn.tools.executed.map(({ call }) => call.function.arguments);
  return { events, end: terminalOf(events), executed };
};

const [a, b] = [read('a'), read('b')];
const write = toolCall('Files_write', { path: 'a' });

describe('a call whose result the prompt left out', () => {
  it.each(['two_stage', 'standard'] as const)('runs again if it reads (%s)', async (protocol) => {
    const model = forgetful(
      { call: a },
      { call: b },
      { call: a, leavesOutResults: true },
      { leavesOutResults: true },
    );
    const { executed, events } = await play(model, protocol);
    expect(executed).toEqual(['{"path":"a"}', '{"path":"b"}', '{"path":"a"}']);
    expect(chunkOf(events, 'duplicate')).toBeUndefined();
  });

  it('is a repeat while the prompt has its result, even one that was requested again', async () => {
    const model = forgetful({ call: a }, { call: b }, { call: a, leavesOutResults: true }, { call: a }, {});
    const { executed, events } = await play(model);
    expect(executed).toHaveLength(3);
    expect(chunkOf(events, 'duplicate')).toContain('Duplicate tool call detected');
  });

  it('is a repeat in the call that is sent its new result, whatever else that leaves out', async () => {
    const model = forgetful(
      { call: a },
      { call: b },
      { call: a, leavesOutResults: true },
      { call: a, leavesOutResults: true },
      { leavesOutResults: true },
    );
    const { executed } = await play(model);
    expect(executed).toHaveLength(3);
  });

  it('that has changed something never runs again, and the model gets its result once more', async () => {
    const model = forgetful(
      { call: write },
      { call: a },
      { call: write, leavesOutResults: true },
      { leavesOutResults: true },
    );
    const { executed, events } = await play(model);
    expect(executed).toHaveLength(2);
    expect(chunkOf(events, 'duplicate')).toContain('Duplicate tool call detected');
    const first = model.asked[1]?.messages.findLast(({ role }) => role === 'tool');
    expect(model.asked[3]?.messages.slice(-3)).toEqual([
      { role: 'assistant', content: '', tool_calls: [write] },
      { role: 'tool', tool_call_id: write.id, content: first?.content },
      expect.objectContaining({ role: 'system' }),
    ]);
  });

  it('that has changed something never runs again in a standard turn either', async () => {
    const model = forgetful({ call: write }, { call: a }, { call: write, leavesOutResults: true }, {});
    const { executed } = await play(model, 'standard');
    expect(executed).toHaveLength(2);
    expect(model.asked[3]?.messages.findLast(({ role }) => role === 'tool')?.content).toContain(
      'the same as ever',
    );
  });

  it('ends with the budget of tools when it is repeated for ever', async () => {
    const model = forgetful(
      ...Array.from({ length: 60 }, (_, i) => ({ call: i % 2 === 0 ? a : b, leavesOutResults: true })),
    );
    const { end, executed } = await play(model, 'two_stage', { maxPhaseCycles: 50, maxNoProgress: 100 });
    expect(end).toMatchObject({ type: 'done', reason: 'cycles' });
    expect(executed).toHaveLength(50);
  });

  it('is one point without progress, half of a repeat of what the model still has', async () => {
    const model = forgetful(
      ...Array.from({ length: 60 }, (_, i) => ({ call: i % 2 === 0 ? a : b, leavesOutResults: true })),
    );
    const { end, executed } = await play(model, 'two_stage', { maxPhaseCycles: 50 });
    expect(end).toMatchObject({ type: 'done', reason: 'no_progress' });
    // The first answer is new, the second repeats an earlier one; six points end tool use.
    expect(executed).toHaveLength(7);
  });
});

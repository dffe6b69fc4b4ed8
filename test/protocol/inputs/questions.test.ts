/** Covers a turn that asks its user a question (docs/inputs.md "Questions"). */
import { describe, expect, it } from '@jest/globals';
import type { ApprovalPolicy } from '../../../src/contracts/inputs/approvals.ts';
import type { OptionalInputKind } from '../../../src/contracts/wire/input-events.ts';
import { StandardProtocol } from '../../../src/protocol/protocols/standard-protocol.ts';
import { asks, collect, ends, fakeTurn, noticesOf, says, toolCall } from '../../support/fake-ports.ts';
import { ScriptedInputs, type ScriptedReply } from '../support/scripted-inputs.ts';
import { asking, run } from '../support/two-stage-run.ts';

const NEVER: ApprovalPolicy = { rules: [], setting: 'never' };
const question = (text = 'Which colour?') => toolCall('User_ask', { question: text });

interface Settings {
  readonly policy: ApprovalPolicy;
  readonly accepted: readonly OptionalInputKind[];
  readonly mode: 'act' | 'plan';
}

const play = async (
  replies: readonly ScriptedReply[],
  calls = [question()],
  { policy = NEVER, accepted = ['question'], mode = 'act' }: Partial<Settings> = {},
) => {
  const inputs = new ScriptedInputs(policy, replies, () => 0, accepted);
  return { inputs, ...(await run({ model: asking(...calls), inputs, mode })) };
};

describe('a question', () => {
  it('is shown as the model asked it, and its answer is the result of the call', async () => {
    const { events, tools, inputs } = await play(['allow']);
    expect(events.find(({ type }) => type === 'input_requested')).toMatchObject({
      kind: 'question',
      message: 'Which colour?',
      tool: 'User_ask',
      effect: 'read',
      options: ['answer', 'deny'],
      default: 'deny',
    });
    expect(inputs.asked).toHaveLength(1);
    expect(tools.executed.map(({ context }) => [context.approval, context.answer])).toEqual([
      [
        { inputId: 'r1/1', once: true },
        { ok: true, content: 'Blue.' },
      ],
    ]);
    expect(events.map(({ type }) => type)).toContain('tool_result');
  });

  it('costs a cycle and is not asked twice', async () => {
    const { inputs, adapter, events } = await play(['allow'], [question(), question()]);
    expect(inputs.asked).toHaveLength(1);
    expect(adapter.calls[2]?.messages.at(-1)?.content).toMatch(/^Duplicate tool call detected/);
    const cycles = events.flatMap((event) => (event.type === 'phase' ? [event.cycle] : []));
    expect(cycles).toEqual([0, 0, 1, 1, 1]);
  });

  it.each<[ScriptedReply, string]>([
    ['deny', 'The user did not allow this tool call. The user says: so'],
    ['expiry', 'Nobody answered in time; the call was not run.'],
  ])('%s: the model is told, at no cycle', async (reply, text) => {
    const { tools, adapter, end } = await play([reply]);
    expect(tools.executed).toEqual([]);
    expect(adapter.calls[1]?.messages.at(-1)?.content).toContain(text);
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it('that does not pass its checks is a failed call, and nobody is asked', async () => {
    const { events } = await play(['failed']);
    expect(events.map(({ type }) => type)).not.toContain('input_requested');
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', ok: false }));
  });

  it('is asked in plan mode, too, and without an approval before it', async () => {
    const { inputs } = await play(['allow'], [question()], {
      policy: { rules: [], setting: 'all' },
      mode: 'plan',
    });
    expect(inputs.asked.map(({ kind }) => kind)).toEqual(['question']);
  });

  it('is not asked where a rule denies it', async () => {
    const policy: ApprovalPolicy = { rules: [{ tool: 'User_*', mode: 'deny' }], setting: 'never' };
    const { inputs, adapter } = await play(['allow'], [question()], { policy });
    expect(inputs.asked).toEqual([]);
    expect(adapter.calls[1]?.messages.at(-1)?.content).toContain('Policy does not allow this tool call.');
  });

  it('is a call like any other where the client shows no questions', async () => {
    const { inputs, tools } = await play(['allow'], [question()], { accepted: [] });
    expect(inputs.asked).toEqual([]);
    expect(tools.executed[0]?.context).not.toHaveProperty('answer');
  });

  it('of a standard turn is asked among the other calls, in its place', async () => {
    const inputs = new ScriptedInputs(NEVER, ['allow'], () => 0, ['question']);
    const calls = [toolCall('Files_read', { path: 'a' }), question()];
    const { context, tools } = fakeTurn({
      inputs,
      model: (n) => (n === 1 ? [asks(...calls), ends('tool_calls')] : [says('Answer.'), ends()]),
    });
    await collect(new StandardProtocol(context).executeStreaming(context));
    expect(tools.executed.map(({ context: { position, answer } }) => [position, answer])).toEqual([
      [0, undefined],
      [1, { ok: true, content: 'Blue.' }],
    ]);
  });
});

describe("a call of a client's tool", () => {
  const click = (n: number) => toolCall('app_click', { n });
  const clientTools = { accepted: ['client_tool'] as const };

  it('asks the client for its result, and counts as a write that has run', async () => {
    const { events, tools, inputs } = await play(['allow'], [click(1), click(1)], clientTools);
    expect(events.find(({ type }) => type === 'input_requested')).toMatchObject({
      kind: 'client_tool',
      message: 'Run app_click and give its result.',
      tool: 'app_click',
      effect: 'write',
      options: ['result', 'deny'],
      default: 'deny',
    });
    expect(inputs.asked).toHaveLength(1);
    expect(tools.executed.map(({ context }) => context.answer)).toEqual([{ ok: true, content: 'Blue.' }]);
  });

  it('needs no approval beside it, and is refused in plan mode', async () => {
    const policy: ApprovalPolicy = { rules: [], setting: 'all' };
    const { inputs } = await play(['allow'], [click(1)], { ...clientTools, policy });
    expect(inputs.asked.map(({ kind }) => kind)).toEqual(['client_tool']);
    const planned = await play(['allow'], [click(1)], { ...clientTools, mode: 'plan' });
    expect(planned.inputs.asked).toEqual([]);
    expect(planned.tools.executed).toEqual([]);
    expect(noticesOf(planned.events)).toEqual(['plan_mode']);
  });
});

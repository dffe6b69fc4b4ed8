/** Covers what model and events say when a turn asks (docs/inputs.md). */
import { describe, expect, it } from '@jest/globals';
import type { ApprovalPolicy } from '../../../src/contracts/inputs/approvals.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { StandardProtocol } from '../../../src/protocol/protocols/standard-protocol.ts';
import {
  asks,
  collect,
  declareTool,
  ends,
  fakeTurn,
  says,
  ScriptedTools,
  toolCall,
} from '../../support/fake-ports.ts';
import { ScriptedInputs, type ScriptedReply, SHOWN_HASH } from '../support/scripted-inputs.ts';
import { asking, run } from '../support/two-stage-run.ts';

const WRITES: ApprovalPolicy = { rules: [], setting: 'writes' };
const write = (path: string) => toolCall('Files_write', { path });

const play = async (
  replies: readonly ScriptedReply[],
  calls = [write('a')],
  policy: ApprovalPolicy = WRITES,
  config = {},
) => {
  const inputs = new ScriptedInputs(policy, replies);
  return { inputs, ...(await run({ model: asking(...calls), inputs, config })) };
};

const typesOf = (events: readonly TurnEvent[]): string[] => events.map(({ type }) => type);

describe('a two-stage turn that asks', () => {
  it('shows the request and its resolution before the call runs', async () => {
    const { events, tools } = await play(['allow']);
    expect(typesOf(events).slice(1, 6)).toEqual([
      'tool_calls',
      'phase',
      'input_requested',
      'input_resolved',
      'tool_result',
    ]);
    expect(tools.executed[0]?.context.approval).toEqual({
      inputId: 'r1/1',
      once: true,
      argsHash: SHOWN_HASH,
    });
  });

  it.each<[ScriptedReply, string]>([
    ['deny', 'The user did not allow this tool call. The user says: so'],
    ['expiry', 'Nobody answered in time; the call was not run.'],
    ['lost', 'Nobody answered in time; the call was not run.'],
  ])('%s: tells the model so, in the result and nowhere else, at no cycle', async (reply, text) => {
    const { adapter, tools, events, end } = await play([reply]);
    expect(tools.executed).toEqual([]);
    const told = adapter.calls[1]?.messages.slice(1) ?? [];
    expect(told.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(told[1]?.content).toContain(`"error":"${text}"`);
    expect(typesOf(events)).not.toContain('tool_result');
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it('says that policy does not allow a call, and asks nobody', async () => {
    const policy: ApprovalPolicy = { rules: [{ tool: 'Files_write', mode: 'deny' }], setting: 'never' };
    const { adapter, inputs, traceService } = await play(['allow'], [write('a')], policy);
    expect(inputs.asked).toEqual([]);
    expect(adapter.calls[1]?.messages.at(-1)?.content).toContain('Policy does not allow this tool call.');
    expect(traceService.records.map(({ summary }) => summary)).toContain('Files.write was not allowed');
  });

  it('gives the result of checks that fail, and asks nobody', async () => {
    const { events, adapter } = await play(['failed']);
    expect(typesOf(events)).not.toContain('input_requested');
    expect(typesOf(events)).toContain('tool_result');
    expect(adapter.calls[1]?.messages.at(-2)?.content).toContain('outside the workspace');
  });

  it('refuses a denied call that comes again like a repeat, and ends at the limit of refusals', async () => {
    const again = await play(['deny'], [write('a'), write('a')]);
    expect(again.inputs.asked).toHaveLength(1);
    expect(again.adapter.calls[2]?.messages.at(-1)?.content).toMatch(/^Duplicate tool call detected/);
    const three = await play(['deny'], [write('a'), write('b'), write('c')]);
    expect(three.end).toMatchObject({ reason: 'refusals' });
  });

  it('runs the call as the user edited it, says so, and treats the original as denied', async () => {
    const { tools, adapter, inputs } = await play([{ edit: '{"path":"b"}' }], [write('a'), write('a')]);
    expect(tools.executed.map(({ call }) => call.function.arguments)).toEqual(['{"path":"b"}']);
    const [, asked, result] = adapter.calls[1]?.messages ?? [];
    expect(asked).toMatchObject({ tool_calls: [{ function: { arguments: '{"path":"a"}' } }] });
    expect(result?.content).toMatch(/^The user changed the arguments to: {"path":"b"}\n\n\{"ok":true/);
    expect(inputs.asked).toHaveLength(1);
  });

  it('refuses an edit that policy denies, that has run, or that is no object', async () => {
    const policy: ApprovalPolicy = {
      rules: [{ tool: '*', arguments: { path: 'secret' }, mode: 'deny' }],
      setting: 'writes',
    };
    const { inputs, tools } = await play(
      ['allow', { edit: '{"path":"./a"}' }],
      [write('a'), write('b')],
      policy,
    );
    expect(tools.executed.map(({ call }) => call.function.arguments)).toEqual(['{"path":"a"}']);
    const [first] = inputs.asked;
    expect(['{"path":"secret"}', '[]', '{"path":"c"}'].map((text) => first?.refusalFor?.(text))).toEqual([
      'policy does not allow these arguments',
      'expected a JSON object',
      undefined,
    ]);
  });

  it('asks no longer about a tool that was allowed for the turn, unless a rule denies it', async () => {
    const policy: ApprovalPolicy = {
      rules: [{ tool: '*', arguments: { path: 'secret' }, mode: 'deny' }],
      setting: 'writes',
    };
    const { inputs, tools } = await play(
      ['allow_turn'],
      [write('a'), write('b'), write('secret'), toolCall('Mail_send', { to: 'x' })],
      policy,
      { maxPhaseCycles: 10 },
    );
    expect(inputs.asked.map(({ call }) => call?.function.name)).toEqual(['Files_write', 'Mail_send']);
    expect(tools.executed.map(({ call }) => call.function.arguments)).toEqual([
      '{"path":"a"}',
      '{"path":"b"}',
      '{"to":"x"}',
    ]);
  });

  it('I10: the time that it waits does not count', async () => {
    let ms = 0;
    const wait = (): number => {
      ms += 3_600_000;
      return 3_600_000;
    };
    const inputs = new ScriptedInputs(WRITES, ['allow'], wait);
    const clock = { now: () => ms };
    const { adapter, end } = await run({ model: asking(write('a')), inputs, clock });
    expect(end).toMatchObject({ reason: 'answered' });
    expect(adapter.calls.map(({ options }) => options.deadline)).toEqual([600_000, 4_200_000]);
  });

  it('runs nothing when the turn is cancelled while it waits', async () => {
    const cancellation = { isRequested: false };
    const cancel = (): number => {
      cancellation.isRequested = true;
      return 0;
    };
    const inputs = new ScriptedInputs(WRITES, ['allow'], cancel, [], cancellation);
    const { tools, end } = await run({ model: asking(write('a')), inputs, cancellation });
    expect(tools.executed).toEqual([]);
    expect(end).toMatchObject({ status: 'cancelled' });
  });
});

describe('a standard turn that asks', () => {
  it('asks call by call, runs each in its own place, and blocks a denied one that comes again', async () => {
    const calls = [write('a'), write('b'), toolCall('Files_read', { path: 'a' })];
    const inputs = new ScriptedInputs(WRITES, ['deny', 'allow']);
    const { context, tools, adapter } = fakeTurn({
      inputs,
      model: (n) => (n < 3 ? [asks(...calls), ends('tool_calls')] : [says('Answer.'), ends()]),
    });
    const events = await collect(new StandardProtocol(context).executeStreaming(context));
    expect(inputs.asked).toHaveLength(2);
    expect(tools.executed.map(({ call, context: { position } }) => [call.function.name, position])).toEqual([
      ['Files_write', 1],
      ['Files_read', 2],
    ]);
    expect(typesOf(events).filter((type) => type === 'tool_result')).toHaveLength(2);
    const results = adapter.calls[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results[0]?.content).toContain('The user did not allow this tool call.');
    expect(
      adapter.calls[2]?.messages.filter(({ content }) => content.includes('DUPLICATE_BLOCKED')),
    ).not.toEqual([]);
  });
});

describe('a tool that always asks', () => {
  const always = (needsApproval: 'unless_allowed' | 'each_call') =>
    new ScriptedTools(undefined, [declareTool('Files_write', 'write', { needsApproval })]);
  const nobody: ApprovalPolicy = { rules: [], setting: 'never', mayAsk: true };
  const optionsOf = (events: readonly TurnEvent[]) =>
    events.flatMap((event) => (event.type === 'input_requested' ? [event.options] : []));

  it('asks even when policy asks about nothing, and accepts an approval for the whole turn', async () => {
    const inputs = new ScriptedInputs(nobody, ['allow_turn']);
    const tools = always('unless_allowed');
    const { events } = await run({ model: asking(write('a'), write('b')), inputs, tools });
    expect(optionsOf(events)).toEqual([['allow', 'allow_turn', 'edit', 'deny']]);
    expect(tools.executed).toHaveLength(2);
  });

  it('offers no reply for several calls when it asks about each call', async () => {
    const inputs = new ScriptedInputs(nobody, ['allow', 'allow']);
    const tools = always('each_call');
    const { events } = await run({ model: asking(write('a'), write('b')), inputs, tools });
    expect(optionsOf(events)).toEqual([
      ['allow', 'edit', 'deny'],
      ['allow', 'edit', 'deny'],
    ]);
  });

  it('does not run in a turn that can ask nobody', async () => {
    const tools = always('unless_allowed');
    const { adapter } = await run({ model: asking(write('a')), tools });
    expect(tools.executed).toEqual([]);
    expect(adapter.calls[1]?.messages.at(-1)?.content).toContain('Policy does not allow this tool call.');
  });
});

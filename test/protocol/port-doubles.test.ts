/**
 * Checks that the doubles with which the core is tested keep the promises of its ports. The same suites run on the
 * ports of the workflow (`test/workflows/turn/activity-backed-ports.test.ts`).
 */
import { asks, ends, says, ScriptedModel, ScriptedTools } from '../support/fake-ports.ts';
import { PortOfModel } from './support/wild-model.ts';
import { describeInputPort } from './support/input-port-contract.ts';
import { describeLeftOut, describeModelPort } from './support/model-port-contract.ts';
import { ModelCallError } from '../../src/protocol/ports/model-port.ts';
import { ScriptedAnswers } from './support/scripted-answers.ts';
import { ScriptedInputs } from './support/scripted-inputs.ts';
import { ScriptedSessions } from './support/scripted-sessions.ts';
import { deedOf, describeToolExecutor } from './support/tool-executor-contract.ts';
import { describeWriteSessionPort } from './support/write-session-port-contract.ts';

const POLICY = { rules: [], setting: 'writes' } as const;

describeInputPort('scripted', async ({ replies, accepted, cancelsWhileWaiting = false }) => {
  const cancellation = { isRequested: false };
  const onWait = (): number => {
    cancellation.isRequested ||= cancelsWhileWaiting;
    return 0;
  };
  const inputs = new ScriptedInputs(POLICY, replies, onWait, accepted, cancellation);
  return {
    inputs,
    recordAskDecision: (kind) => inputs.recordAskDecision(kind),
    shown: () => inputs.resolved.length,
    cancel: async () => void (cancellation.isRequested = true),
  };
});

describeToolExecutor('scripted', async () => {
  const tools = new ScriptedTools((call) => {
    const deed = deedOf(call);
    if (deed === 'breaks') throw new Error('the tool broke');
    if (deed === 'fails') return { success: false, error: 'not found' };
    return { success: true, result: call.function.arguments };
  });
  return {
    tools,
    describe: (name) => tools.describe(name),
    seen: () => tools.executed.map(({ call, context: { approval, answer } }) => ({ call, approval, answer })),
  };
});

describeModelPort('answers of a script', async ({ text, calls, cut, fails }) => {
  const failure = fails && { error: new ModelCallError('model_unavailable', 'broke') };
  return new ScriptedAnswers({
    ...(text !== undefined && { text: `\n\n${text}` }),
    ...(calls && { calls }),
    ...(cut && { end: cut }),
    ...failure,
  });
});

describeLeftOut('answers of a script', async (index) => new ScriptedAnswers({ leftOut: [index] }));

describeModelPort('a stream of a script', async ({ text, calls, cut, fails }) => {
  const said = text === undefined ? [] : [{ type: 'chunk' as const, content: text }];
  const called = calls ? [{ type: 'tool_calls' as const, calls }] : [];
  const events = [...said, ...called, ...(fails ? [] : [{ type: 'done' as const, fullContent: '' }])];
  let looks = 0;
  const look = () => {
    looks += 1;
    const isCut = looks > said.length;
    return { now: isCut && cut === 'time' ? Infinity : 0, isCancelled: isCut && cut === 'cancelled' };
  };
  return new PortOfModel([{ kind: fails ? 'broken' : 'events', events }], look);
});

describeModelPort('a stream that the turn itself reads', async ({ text, calls, cut, fails }) => {
  let events = 0;
  const adapter = new ScriptedModel(function* () {
    if (text !== undefined) yield says(`\n\n${text}`);
    events += 1;
    if (cut) yield says('');
    if (fails) throw new ModelCallError('model_unavailable', 'broke');
    if (calls) yield asks(...calls);
    yield ends(calls ? 'tool_calls' : 'stop');
  });
  const turn = {
    context: { projectId: 'p', requestId: 'r1', mode: 'act' as const },
    clock: { now: () => (cut === 'time' && events > 0 ? Infinity : 0) },
    get isCancelled() {
      return cut === 'cancelled';
    },
    trace: () => undefined,
  };
  return {
    callModel: async (messages, options) => {
      const stream = adapter.streamModel(turn, messages, options);
      for (;;) {
        const { done, value } = await stream.next();
        if (done) return value;
      }
    },
  };
});

describeWriteSessionPort('scripted', async (outcome) => {
  const sessions = new ScriptedSessions((n) => (n === 0 ? outcome : undefined));
  return {
    writeSessions: sessions,
    noteReplaced: (replaced) => sessions.noteReplaced(replaced),
    kept: () => sessions.kept.length,
    end: async (ended) => sessions.end(ended),
    cancel: () => Promise.resolve(),
  };
});

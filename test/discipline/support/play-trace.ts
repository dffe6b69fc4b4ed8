import type { ToolExecutor } from '../../../src/protocol/ports/tool-executor.ts';
import { TwoStageProtocol } from '../../../src/protocol/protocols/two-stage-protocol.ts';
import {
  asks,
  collect,
  ends,
  RecordedTrace,
  says,
  ScriptedModel,
  ScriptedTools,
  terminalOf,
  eventText,
} from '../../support/fake-ports.ts';
import type { Fate } from './player.ts';
import { inChunks, MAX_CYCLES, TraceModel } from './trace-model.ts';
import { declarationOf, type AgentTrace } from './trace.ts';
import { TraceWorld } from './trace-world.ts';
import type { AdapterEvent } from '../../../src/compat/llm-adapter.ts';

/** The result of playing a trace. */
export interface Played {
  /**
   * For each key, by which the script of a trace names one call or several equal ones: whether each of these calls ran,
   * in the order in which they were made.
   */
  readonly ranByKey: ReadonlyMap<string, readonly boolean[]>;
  readonly modelCalls: number;
  readonly characters: number;
  readonly isForced: boolean;
}

/** The tools of a trace, wherever they run. */
export interface TraceTools {
  /** Returns the name under which the model knows a tool of the trace. */
  nameOf(name: string): string;
  /** Returns the executor of one turn, which reports what became of each execution. */
  executor(report: (fate: Fate) => void): ToolExecutor;
}

/** Returns tools that run in this process, in a world of the trace's own. */
const worldTools = (trace: AgentTrace): TraceTools => {
  const world = new TraceWorld(trace);
  return {
    nameOf: (name) => name,
    executor: (told) =>
      new ScriptedTools(({ function: { name, arguments: raw } }) => {
        const args = raw.trim() === '' ? {} : (JSON.parse(raw) as Record<string, never>);
        const { ok, retryable, content } = world.execute(name, args);
        told({ kind: 'ran', ok, content });
        return ok ? { success: true, result: content } : { success: false, error: content, retryable };
      }, trace.tools.map(declarationOf)),
  };
};

/** Plays a trace against the core in this process. */
export const playTrace = async (trace: AgentTrace, where = worldTools(trace)): Promise<Played> => {
  const model = new TraceModel(trace, (name) => where.nameOf(name));
  const { mode = 'act', id } = trace;
  let fate: Fate = { kind: 'refused' };
  let [characters, isForced] = [0, false];

  const answer = function* (tools: boolean): Generator<AdapterEvent> {
    const { text, calls } = model.answer(tools, fate);
    fate = { kind: 'refused' };
    yield* inChunks(text).map(says);
    if (calls.length > 0) yield asks(...calls);
    yield ends();
  };

  for (let content = model.question(); content !== undefined; content = model.question()) {
    const adapter = new ScriptedModel((_call, _messages, { tools }) => answer(tools));
    const tools = where.executor((told) => (fate = told));
    const ports = { adapter, tools, traceService: new RecordedTrace() };
    const messages = [{ role: 'user' as const, content }];
    const config = { maxPhaseCycles: MAX_CYCLES };
    const context = { ...ports, messages, mode, projectId: 'traces', requestId: id, config };
    const events = await collect(new TwoStageProtocol(ports).executeStreaming(context));
    const end = terminalOf(events);
    if (end.type === 'error') throw new Error(`${id}: ${end.message}`);
    characters += eventText(events).length;
    isForced ||= end.reason !== 'answered';
    model.endTurn();
  }
  return { ranByKey: model.ranByKey, modelCalls: model.modelCalls, characters, isForced };
};

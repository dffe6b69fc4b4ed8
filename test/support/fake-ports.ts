import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import type { ToolCall, ToolDeclaration, ToolResult } from '../../src/contracts/tools/tool-call.ts';
import type { TerminalEvent, TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import type { ExecutionContextParts } from '../../src/protocol/turn/execution-context.ts';
import type { AdapterEvent, AdapterOptions, LlmAdapter } from '../../src/compat/llm-adapter.ts';
import { collectAnswer } from '../../src/compat/adapted-model.ts';
import type { StreamedModel } from '../../src/protocol/ports/model-port.ts';
import type { ToolExecutorContext, ToolExecutor } from '../../src/protocol/ports/tool-executor.ts';
import type { TraceRecord, TraceService } from '../../src/protocol/ports/trace-service.ts';

/** Returns the events of one call of the model; `call` counts from 1. */
export type ModelScript = (
  call: number,
  messages: readonly ModelMessage[],
  options: AdapterOptions,
) => Iterable<AdapterEvent> | AsyncIterable<AdapterEvent>;

/**
 * A model that follows a script and remembers every request. It implements the adapter of a host, and the port of the
 * core over it with `collectAnswer`. That is the only real `StreamedModel`, so the tests of the core also run what
 * hosts run. Doubles of `ModelPort` are `ScriptedAnswers` and `PortOfModel`.
 */
export class ScriptedModel implements LlmAdapter, StreamedModel {
  readonly calls: { readonly messages: readonly ModelMessage[]; readonly options: AdapterOptions }[] = [];
  /** The number of streams that ended early, because their consumer stopped reading or the script threw. */
  endedEarly = 0;
  readonly #script: ModelScript;

  constructor(script: ModelScript) {
    this.#script = script;
  }

  streamModel(...[turn, messages, options]: Parameters<StreamedModel['streamModel']>) {
    return collectAnswer(turn, this, messages, options);
  }

  async *sendMessagesStreaming(
    messages: readonly ModelMessage[],
    options: AdapterOptions,
  ): AsyncGenerator<AdapterEvent> {
    this.calls.push({ messages, options });
    let hasFinished = false;
    try {
      for await (const event of this.#script(this.calls.length, messages, options)) {
        hasFinished = event.type === 'done';
        yield event;
      }
      hasFinished = true;
    } finally {
      if (!hasFinished) this.endedEarly += 1;
    }
  }
}

export type ToolAnswer = Partial<ToolResult> & { readonly success: boolean };
export type ToolScript = (call: ToolCall, execution: number) => ToolAnswer | Promise<ToolAnswer>;

interface Execution {
  readonly call: ToolCall;
  readonly context: ToolExecutorContext;
  /** The answer of the tool; absent when the script threw. */
  answer?: ToolAnswer;
}

/** Tools that answer by a script and remember every execution. */
export class ScriptedTools implements ToolExecutor {
  readonly executed: Execution[] = [];
  readonly #script: ToolScript;
  readonly #declarations: ReadonlyMap<string, ToolDeclaration>;

  constructor(script: ToolScript = uniqueAnswer, declarations: readonly ToolDeclaration[] = TEST_TOOLS) {
    this.#script = script;
    this.#declarations = new Map(declarations.map((tool) => [tool.name, tool]));
  }

  describe(name: string): ToolDeclaration | undefined {
    return this.#declarations.get(name);
  }

  async executeToolCalls(
    calls: readonly ToolCall[],
    context: ToolExecutorContext,
  ): Promise<readonly ToolResult[]> {
    const results: ToolResult[] = [];
    for (const call of calls) {
      const execution: Execution = { call, context };
      this.executed.push(execution);
      execution.answer = await this.#script(call, this.executed.length);
      results.push({ ...resultOf(call), ...execution.answer });
    }
    return results;
  }
}

const resultOf = (call: ToolCall) => ({
  toolCallId: call.id,
  toolName: call.function.name.replace('_', '.'),
  attempts: 1,
  durationMs: 1,
  timestamp: '2026-01-05T09:00:00.000Z',
});

const uniqueAnswer: ToolScript = (call, execution) => ({
  success: true,
  result: `${execution}: ${call.function.name} ${call.function.arguments}`,
});

export const declareTool = (
  name: string,
  effect: ToolDeclaration['effect'],
  more: Partial<ToolDeclaration> = {},
): ToolDeclaration => ({ name, effect, pathArguments: [], volatileFields: [], defaults: {}, ...more });

/** The tools that tests offer, one of each kind. */
const TEST_TOOLS = [
  declareTool('Files_read', 'read', { pathArguments: ['path'], defaults: { deep: false } }),
  declareTool('Files_write', 'write', { pathArguments: ['path'] }),
  declareTool('Mail_send', 'write', { idempotentHint: false }),
  declareTool('Job_status', 'poll', { volatileFields: ['tick'] }),
  declareTool('User_ask', 'read', { asks: 'question' }),
  declareTool('app_click', 'write', { asks: 'client_tool' }),
  declareTool('WritePlanTool_begin', 'write', {
    beginsWriteSession: { sessionId: 'session_id', target: 'target_file' },
  }),
];

export class RecordedTrace implements TraceService {
  readonly records: TraceRecord[] = [];

  record(event: TraceRecord): void {
    this.records.push(event);
  }
}

export const says = (content: string): AdapterEvent => ({ type: 'chunk', content });

export const asks = (...calls: readonly ToolCall[]): AdapterEvent => ({ type: 'tool_calls', calls });

export const ends = (finishReason: 'stop' | 'tool_calls' | 'length' = 'stop'): AdapterEvent => ({
  type: 'done',
  fullContent: '',
  finishReason,
});

/** Returns a call as a model makes it; arguments that are text already are taken as they are. */
export const toolCall = (name: string, args: unknown = {}, id = 'call_1'): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});

export interface FakeTurnParts extends Partial<ExecutionContextParts> {
  readonly model?: ModelScript;
  readonly tool?: ToolScript;
}

/** Creates fakes for one turn; returns them and the context of a turn that uses them. */
export const fakeTurn = ({ model, tool, ...more }: FakeTurnParts = {}) => {
  const adapter = new ScriptedModel(model ?? (() => [says('Hello.'), ends()]));
  const tools = new ScriptedTools(tool);
  const traceService = new RecordedTrace();
  const context: ExecutionContextParts = {
    messages: [{ role: 'user', content: 'Question' }],
    mode: 'act',
    projectId: 'p1',
    requestId: 'r1',
    adapter,
    tools,
    traceService,
    config: {},
    ...more,
  };
  return { adapter, tools, traceService, context };
};

export const collect = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
};

export const eventText = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'chunk' && event.notice === undefined ? event.content : '')).join('');

export const noticesOf = (events: readonly TurnEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'chunk' && event.notice ? [event.notice] : []));

export const terminalOf = (events: readonly TurnEvent[]): TerminalEvent => {
  const last = events.at(-1);
  if (last?.type !== 'done' && last?.type !== 'error') {
    throw new Error('expected a terminal event at the end');
  }
  return last;
};

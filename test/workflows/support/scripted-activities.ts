import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { TurnActivities } from '../../../activities/create-activities.ts';
import type {
  CallModelInput,
  CallModelResult,
  CloseTurnInput,
  ExecuteToolInput,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { KeepWriteSessionInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import type { ToolCall, ToolDeclaration, ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import { attemptEpoch } from '../../../src/contracts/wire/event-id.ts';
import { toolLabel } from '../../../src/contracts/tools/tool-name.ts';
import type { KeepOutcome } from '../../../src/protocol/ports/write-session-port.ts';

const usage = { promptTokens: 10, completionTokens: 5 };

export const scriptedCall = (name: string, args: object = {}, id = 'call-1'): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

export const readTool = (name: string): ToolDeclaration => ({
  name,
  effect: 'read',
  pathArguments: ['path'],
  volatileFields: [],
  defaults: {},
});

/** What one scripted model call says; its events travel in the tail. */
export interface ScriptedAnswer {
  readonly texts?: readonly string[];
  readonly calls?: readonly ToolCall[];
}

/** Returns the result of an attempt that wrote everything into its tail. */
export const answeredCall = (
  input: CallModelInput,
  { texts = [], calls = [] }: ScriptedAnswer,
): CallModelResult => ({
  outcome: {
    kind: 'ended',
    end: calls.length > 0 ? 'tool_calls' : 'stop',
    calls: [...calls],
    declarations: Object.fromEntries(calls.map(({ function: { name } }) => [name, readTool(name)])),
    usage,
  },
  tail: tailOf(input, [
    ...texts,
    ...(calls.length > 0 ? [{ type: 'tool_calls' as const, calls: [...calls] }] : []),
  ]),
});

export const tailOf = (
  input: CallModelInput,
  events: CallModelResult['tail'][number]['events'],
): CallModelResult['tail'] =>
  events.length === 0
    ? []
    : [{ epoch: attemptEpoch(input.step, 1), seq: input.fromSeq, after: input.after, events }];

export const succeeded = (
  { call }: ExecuteToolInput,
  result: ToolResult['result'] = 'content',
): ToolResult => ({
  toolCallId: call.id,
  toolName: toolLabel(call.function.name),
  success: true,
  result: result ?? null,
  attempts: 1,
  durationMs: 1,
  timestamp: '2026-01-01T00:00:00.000Z',
});

/** Activities that play `answers` in order and record what they were asked. */
export class ScriptedActivities implements TurnActivities {
  readonly modelCalls: CallModelInput[] = [];
  readonly toolCalls: ExecuteToolInput[] = [];
  readonly closes: CloseTurnInput[] = [];
  /** The first end of each turn, which stands. */
  readonly ends = new Map<string, CloseTurnInput['terminal']>();
  readonly keeps: KeepWriteSessionInput[] = [];
  readonly #answers: readonly ScriptedAnswer[];

  constructor(answers: readonly ScriptedAnswer[]) {
    this.#answers = answers;
  }

  readonly callModel = (input: CallModelInput): Promise<CallModelResult> => {
    this.modelCalls.push(input);
    return Promise.resolve(
      answeredCall(input, this.#answers[input.step - 1] ?? { texts: ['(no answer scripted)'] }),
    );
  };

  readonly executeTool = (input: ExecuteToolInput): Promise<ToolResult> => {
    this.toolCalls.push(input);
    return Promise.resolve(succeeded(input));
  };

  readonly keepWriteSession = (input: KeepWriteSessionInput): Promise<KeepOutcome> => {
    this.keeps.push(input);
    return Promise.resolve(input.commit ? { kind: 'committed', content: input.content } : { kind: 'kept' });
  };

  readonly closeTurn = (input: CloseTurnInput): Promise<void> => {
    this.closes.push(input);
    if (!this.ends.has(input.turnId)) this.ends.set(input.turnId, input.terminal);
    return Promise.resolve();
  };
}

/**
 * Resolves when the activity is cancelled; sends heartbeats, because a worker learns of the cancel only through them.
 */
export const untilCancelled = async (): Promise<void> => {
  const { cancellationSignal } = Context.current();
  while (!cancellationSignal.aborted) {
    Context.current().heartbeat();
    await delay(50, undefined, { signal: cancellationSignal }).catch(() => undefined);
  }
};

import { OUTCOME_UNKNOWN, type ToolCall, type ToolResult } from '../../contracts/tools/tool-call.ts';
import type { CheckedCall } from '../calls/checked-call.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import type { Turn } from './turn.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { isoTime } from '../../contracts/values/iso-time.ts';
import type { ToolExecutorContext } from '../ports/tool-executor.ts';

/** A call with its result, which it has even if it was withheld. */
export interface ExecutedCall {
  readonly checkedCall: CheckedCall;
  readonly result: ToolResult;
  /** The model's own call, if a person had `checkedCall` run instead. */
  readonly replacedCall?: ToolCall;
  /** Set when the call did not run because the policy denied it, nobody allowed it, or the user interrupted. */
  readonly isWithheld?: true;
  /** True when the call is to begin a write session whose commit needs an approval. */
  readonly asksAtCommit?: true;
}

/** Returns the fields of a result that do not depend on what came of the call. The call ends now and took no time. */
export const baseResult = (
  turn: Turn,
  { call, declaration }: CheckedCall,
): Omit<ToolResult, 'success' | 'attempts'> => ({
  toolCallId: call.id,
  toolName: toolLabel(declaration.name),
  durationMs: 0,
  timestamp: isoTime(turn.clock.now()),
});

/**
 * Returns the result of a call with all required fields. It fills in those that an executor left out, where a missing
 * `success` means a failure, and makes a failure if there is no result.
 */
export const completeResult = (
  turn: Turn,
  checkedCall: CheckedCall,
  result: Partial<ToolResult> | undefined,
): ToolResult =>
  result
    ? { ...baseResult(turn, checkedCall), success: false, attempts: 1, ...result }
    : failedResult(turn, checkedCall, 'the tool gave no result');

/**
 * Returns the failure of a call whose executor threw or gave no result. If it is a write, nobody knows whether it took
 * effect.
 */
const failedResult = (turn: Turn, checkedCall: CheckedCall, reason: string): ToolResult => ({
  ...baseResult(turn, checkedCall),
  success: false,
  error: checkedCall.declaration.effect === 'write' ? `${OUTCOME_UNKNOWN}: ${reason}` : reason,
  attempts: 1,
});

/** The options of an execution that do not follow from the state of the turn. */
export type ExecutionOptions = Partial<
  Pick<ToolExecutorContext, 'delayMs' | 'position' | 'approval' | 'answer' | 'asksAtCommit'>
>;

/**
 * Runs calls through the port, in order. If the port throws, each call gets a failure as its result, which the model
 * reads. Returns undefined if the port throws after a cancel.
 */
export const executeCalls = async (
  turn: Turn,
  checkedCalls: readonly CheckedCall[],
  options: ExecutionOptions = {},
): Promise<ExecutedCall[] | undefined> => {
  const { projectId, requestId, mode, tools } = turn.context;
  for (const { call, declaration } of checkedCalls) {
    const summary = toolLabel(declaration.name);
    turn.trace({ type: 'tool_call', source: 'orion', summary, details: call });
  }
  const deadline = turn.meter.deadline();
  const context = {
    projectId,
    requestId,
    mode,
    phaseIndex: turn.phases.index,
    delayMs: 0,
    deadline,
    ...options,
  };
  try {
    const calls = checkedCalls.map(({ call }) => call);
    const results: readonly Partial<ToolResult>[] = await tools.executeToolCalls(calls, context);
    const { asksAtCommit } = options;
    return checkedCalls.map((checkedCall, i) => ({
      checkedCall,
      result: completeResult(turn, checkedCall, results[i]),
      ...(asksAtCommit && { asksAtCommit }),
    }));
  } catch (error) {
    if (turn.isCancelled) return undefined;
    return checkedCalls.map((checkedCall) => ({
      checkedCall,
      result: failedResult(turn, checkedCall, errorMessage(error)),
    }));
  }
};

/** Traces a call that was refused as a repeat, by the core or by the executor. It does not count the duplicate. */
export const traceDuplicate = (turn: Turn, { call, declaration: { name } }: CheckedCall): void => {
  const details = { phase: 'tool', callId: call.id, name };
  turn.trace({ type: 'duplicate_tool_call', source: 'system', summary: toolLabel(name), details });
};

import {
  OUTCOME_UNKNOWN,
  type ToolCall,
  type ToolDeclaration,
  type ToolResult,
} from '../../contracts/tools/tool-call.ts';
import { fieldsOf } from '../../contracts/values/record.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { CheckedCall } from '../calls/checked-call.ts';
import type { CallProgress, RepeatPermission } from '../calls/call-history.ts';
import type { TurnCounters } from './stop-policy.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import type { Turn } from './turn.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import type { JsonValue } from '../../contracts/values/json-value.ts';
import { isoTime } from '../../contracts/values/iso-time.ts';
import type { ToolExecutorContext } from '../ports/tool-executor.ts';
import type { BegunSession } from '../ports/write-session-port.ts';

/** A call with its result, which it has even if it was withheld. */
export interface ExecutedCall {
  readonly checked: CheckedCall;
  readonly result: ToolResult;
  /** The model's own call, if a person had `checked` run instead. */
  readonly replacedCall?: ToolCall;
  /** Set when the call did not run because the policy denied it, nobody allowed it, or the user interrupted. */
  readonly isWithheld?: true;
  /** True when the call is to begin a write session whose commit needs an approval. */
  readonly asksAtCommit?: true;
}

/** Points for no progress if the same call gave this result before (docs/protocol.md "What counts"). */
const POINTS_FOR_SAME_ANSWER = 2;
/**
 * Points for no progress if the call failed, if another call gave this result before, or if the call itself did and
 * prompts had left it out.
 */
const POINTS_FOR_OLD_NEWS = 1;

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
 * Returns the failure of a call whose executor threw or gave no result. If it is a write, nobody knows whether it took
 * effect.
 */
const failedResult = (turn: Turn, checked: CheckedCall, reason: string): ToolResult => ({
  ...baseResult(turn, checked),
  success: false,
  error: checked.declaration.effect === 'write' ? `${OUTCOME_UNKNOWN}: ${reason}` : reason,
  attempts: 1,
});

/**
 * Returns the result of a call with all required fields. It fills in those that an executor left out, where a missing
 * `success` means a failure, and makes a failure if there is no result.
 */
export const completeResult = (
  turn: Turn,
  checked: CheckedCall,
  result: Partial<ToolResult> | undefined,
): ToolResult =>
  result
    ? { ...baseResult(turn, checked), success: false, attempts: 1, ...result }
    : failedResult(turn, checked, 'the tool gave no result');

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
  checked: readonly CheckedCall[],
  options: ExecutionOptions = {},
): Promise<ExecutedCall[] | undefined> => {
  const { projectId, requestId, mode, tools } = turn.context;
  for (const { call, declaration } of checked) {
    const summary = toolLabel(declaration.name);
    turn.trace({ type: 'tool_call', source: 'orion', summary, details: call });
  }
  const deadline = turn.deadline();
  const context = {
    projectId,
    requestId,
    mode,
    phaseIndex: turn.phaseIndex,
    delayMs: 0,
    deadline,
    ...options,
  };
  try {
    const calls = checked.map(({ call }) => call);
    const results: readonly Partial<ToolResult>[] = await tools.executeToolCalls(calls, context);
    const { asksAtCommit } = options;
    return checked.map((one, i) => ({
      checked: one,
      result: completeResult(turn, one, results[i]),
      ...(asksAtCommit && { asksAtCommit }),
    }));
  } catch (error) {
    if (turn.isCancelled) return undefined;
    return checked.map((one) => ({ checked: one, result: failedResult(turn, one, errorMessage(error)) }));
  }
};

const countProgress = (
  counters: TurnCounters,
  { effect }: ToolDeclaration,
  hasProgressed: boolean,
  progress: CallProgress & { readonly isLeftOut: boolean },
): void => {
  if (effect === 'poll') return;
  const isFirstSuccessOfWrite = effect === 'write' && progress.isFirstSuccess;
  if (!isFirstSuccessOfWrite && progress.repeatsOwnResult && !progress.isLeftOut) {
    counters.idlePoints += POINTS_FOR_SAME_ANSWER;
  } else if (!isFirstSuccessOfWrite && (!hasProgressed || progress.repeatsSomeResult)) {
    counters.idlePoints += POINTS_FOR_OLD_NEWS;
  } else {
    counters.idlePointsCleared = counters.idlePoints;
  }
};

/**
 * Reports whether an execution counts as a success for the rule of no progress. A command that exited with another code
 * than 0 does not, although the call succeeded.
 */
const isProgress = ({ runsCommand }: ToolDeclaration, { success, result }: ToolResult): boolean => {
  if (!success || runsCommand !== true) return success;
  return fieldsOf(result)['exit_code'] === 0;
};

const payloadText = ({ success, result, error }: ToolResult): string => {
  if (!success) return error ?? '';
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
};

/** Traces a call that was blocked as a repeat, by the core or by the executor. It does not count the duplicate. */
export const traceDuplicate = (turn: Turn, { call, declaration: { name } }: CheckedCall): void => {
  const details = { phase: 'tool', callId: call.id, name };
  turn.trace({ type: 'duplicate_tool_call', source: 'system', summary: toolLabel(name), details });
};

/**
 * Counts an execution as a cycle, remembers it for the rules of duplicates and progress, and returns its event. A write
 * session that the call began is added to `begunSessions`.
 */
export const recordExecution = (
  turn: Turn,
  execution: ExecutedCall,
  permission: RepeatPermission,
): TurnEvent => {
  const { checked, result } = execution;
  const { call, declaration, signature } = checked;
  turn.counters.cycles += 1;
  const session = begunSession(execution);
  if (session) turn.begunSessions.push(session);
  const progress = turn.history.add(signature, declaration, permission, result);
  const hasProgressed = isProgress(declaration, result);
  const isFirstSuccess = progress.isFirstSuccess && hasProgressed;
  const isLeftOut = permission === 'left-out';
  countProgress(turn.counters, declaration, hasProgressed, {
    ...progress,
    isFirstSuccess,
    isLeftOut,
  });
  const error = result.success ? {} : { error: result.error ?? '' };
  turn.trace({ type: 'tool_result', source: 'tool', summary: result.toolName, details: result, ...error });
  const content = payloadText(result);
  return {
    type: 'tool_result',
    callId: call.id,
    name: declaration.name,
    ok: result.success,
    durationMs: result.durationMs,
    bytes: new TextEncoder().encode(content).length,
    ...(turn.budgets.debugShowToolResults ? { content } : {}),
  };
};

const textField = (value: JsonValue | undefined, name: string): string | undefined => {
  const field = fieldsOf(value)[name];
  return typeof field === 'string' && field !== '' ? field : undefined;
};

/**
 * Returns the session that an execution has begun. Returns undefined for any other call, and for a begin that failed or
 * named no session.
 */
const begunSession = ({ checked, result, asksAtCommit }: ExecutedCall): BegunSession | undefined => {
  const { call, declaration } = checked;
  const fields = declaration.beginsWriteSession;
  if (fields === undefined || !result.success) return undefined;
  const sessionId = textField(result.result, fields.sessionId);
  const target = textField(result.result, fields.target) ?? '';
  if (sessionId === undefined) return undefined;
  return { sessionId, target, ...(asksAtCommit && { beginCall: { call, declaration } }) };
};

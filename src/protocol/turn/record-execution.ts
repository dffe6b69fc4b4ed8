import type { ToolDeclaration, ToolResult } from '../../contracts/tools/tool-call.ts';
import { fieldsOf } from '../../contracts/values/unchecked-value.ts';
import { utf8Bytes } from '../../contracts/values/at-most-bytes.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { CallProgress, RepeatPermission } from '../calls/call-history.ts';
import type { Turn } from './turn.ts';
import type { JsonValue } from '../../contracts/values/json-value.ts';
import type { BegunSession } from '../ports/write-session-port.ts';
import type { ExecutedCall } from './tool-execution.ts';

/** Points for no progress if the same call gave this result before (docs/protocol.md "What counts"). */
const POINTS_FOR_SAME_ANSWER = 2;

/**
 * Points for no progress if the call failed, if another call gave this result before, or if the call itself did and
 * prompts had left it out.
 */
const POINTS_FOR_OLD_NEWS = 1;

/**
 * Counts an execution as a cycle, remembers it for the rules of duplicates and progress, and returns its event. A write
 * session that the call began then waits for its content.
 */
export const recordExecution = (
  turn: Turn,
  execution: ExecutedCall,
  permission: RepeatPermission,
): TurnEvent => {
  const { checkedCall, result } = execution;
  const { call, declaration, signature } = checkedCall;
  turn.meter.count('cycles');
  const session = begunSession(execution);
  if (session) turn.addBegunSession(session);
  const progress = turn.history.add(signature, declaration, permission, result);
  const hasProgressed = isProgress(declaration, result);
  const isFirstSuccess = progress.isFirstSuccess && hasProgressed;
  const isLeftOut = permission === 'left_out';
  countProgress(turn, declaration, hasProgressed, {
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
    bytes: utf8Bytes(content),
    ...(turn.meter.budgets.debugShowToolResults && { content }),
  };
};

/**
 * Reports whether an execution counts as a success for the rule of no progress. A command that exited with another code
 * than 0 does not, although the call succeeded.
 */
const isProgress = ({ runsCommand }: ToolDeclaration, { success, result }: ToolResult): boolean => {
  if (!success || runsCommand !== true) return success;
  return fieldsOf(result)['exit_code'] === 0;
};

const countProgress = (
  turn: Turn,
  { effect }: ToolDeclaration,
  hasProgressed: boolean,
  progress: CallProgress & { readonly isLeftOut: boolean },
): void => {
  if (effect === 'poll') return;
  const isFirstSuccessOfWrite = effect === 'write' && progress.isFirstSuccess;
  if (!isFirstSuccessOfWrite && progress.repeatsOwnResult && !progress.isLeftOut) {
    turn.meter.count('noProgressPoints', POINTS_FOR_SAME_ANSWER);
  } else if (!isFirstSuccessOfWrite && (!hasProgressed || progress.repeatsSomeResult)) {
    turn.meter.count('noProgressPoints', POINTS_FOR_OLD_NEWS);
  } else {
    turn.meter.clearIdlePoints();
  }
};

const payloadText = ({ success, result, error }: ToolResult): string => {
  if (!success) return error ?? '';
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
};

/**
 * Returns the session that an execution has begun. Returns undefined for any other call, and for a begin that failed or
 * named no session.
 */
const begunSession = ({ checkedCall, result, asksAtCommit }: ExecutedCall): BegunSession | undefined => {
  const { call, declaration } = checkedCall;
  const fields = declaration.beginsWriteSession;
  if (fields === undefined || !result.success) return undefined;
  const sessionId = nonEmptyField(result.result, fields.sessionId);
  const target = nonEmptyField(result.result, fields.target) ?? '';
  if (sessionId === undefined) return undefined;
  return { sessionId, target, ...(asksAtCommit && { beginCall: { call, declaration } }) };
};

const nonEmptyField = (value: JsonValue | undefined, name: string): string | undefined => {
  const field = fieldsOf(value)[name];
  return typeof field === 'string' && field !== '' ? field : undefined;
};

import type { ToolDeclaration, ToolResult } from '../../contracts/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { CheckedCall } from './checked-call.ts';
import type { Novelty, Permission } from './call-history.ts';
import type { Counters } from '../turn/stop-policy.ts';
import { toolLabel } from './tool-name.ts';
import type { Turn } from '../turn/turn.ts';
import { BEGIN_WRITE_SESSION } from '../../contracts/built-in-tools.ts';
import type { BegunSession } from '../turn/ports.ts';

/** A call that ran, and what came of it. */
export interface Execution {
  readonly checked: CheckedCall;
  readonly result: ToolResult;
}

/** docs/protocol.md "Budgets", `maxNoProgress`. */
const POINTS_FOR_SAME_ANSWER = 2;
const POINTS_FOR_OLD_NEWS = 1;

const errorText = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** What every result of a call says, whatever came of it. */
export const resultFrame = (
  turn: Turn,
  { call, declaration }: CheckedCall,
): Omit<ToolResult, 'success' | 'attempts'> => ({
  toolCallId: call.id,
  toolName: toolLabel(declaration.name),
  durationMs: 0,
  timestamp: new Date(turn.clock.now()).toISOString(),
});

/** A failure made here: the executor threw or gave no result. After a write nobody knows whether it happened. */
const failedResult = (turn: Turn, checked: CheckedCall, reason: string): ToolResult => ({
  ...resultFrame(turn, checked),
  success: false,
  error: checked.declaration.effect === 'write' ? `OUTCOME_UNKNOWN: ${reason}` : reason,
  attempts: 1,
});

/** Fills in what an executor left out. */
const complete = (turn: Turn, checked: CheckedCall, result: Partial<ToolResult> | undefined): ToolResult =>
  result
    ? { ...resultFrame(turn, checked), success: false, attempts: 1, ...result }
    : failedResult(turn, checked, 'the tool gave no result');

/**
 * Runs calls through the port, in order. Whatever it throws becomes failure data for the model; undefined when a
 * cancel ended the execution.
 */
export const executeCalls = async (
  turn: Turn,
  checked: readonly CheckedCall[],
  delayMs = 0,
): Promise<Execution[] | undefined> => {
  const { projectId, requestId, mode, tools } = turn.context;
  for (const { call, declaration } of checked) {
    const summary = toolLabel(declaration.name);
    turn.trace({ type: 'tool_call', source: 'orion', summary, details: call });
  }
  const context = { projectId, requestId, mode, phaseIndex: turn.phaseIndex, delayMs };
  try {
    const calls = checked.map(({ call }) => call);
    const results: readonly Partial<ToolResult>[] = await tools.executeToolCalls(calls, context);
    return checked.map((one, i) => ({ checked: one, result: complete(turn, one, results[i]) }));
  } catch (error) {
    if (turn.cancelled) return undefined;
    return checked.map((one) => ({ checked: one, result: failedResult(turn, one, errorText(error)) }));
  }
};

const countProgress = (
  counters: Counters,
  { effect }: ToolDeclaration,
  ok: boolean,
  novelty: Novelty,
): void => {
  if (effect === 'poll') return;
  const isFirstSuccessOfWrite = effect === 'write' && novelty.firstSuccess;
  if (!isFirstSuccessOfWrite && novelty.sameCallSameAnswer) counters.idlePoints += POINTS_FOR_SAME_ANSWER;
  else if (!isFirstSuccessOfWrite && (!ok || novelty.seenBefore)) counters.idlePoints += POINTS_FOR_OLD_NEWS;
  else counters.idlePointsCleared = counters.idlePoints;
};

const payloadText = ({ success, result, error }: ToolResult): string => {
  if (!success) return error ?? '';
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
};

/** A call that was blocked as a repeat, here or by the executor. */
export const recordDuplicate = (turn: Turn, { call, declaration: { name } }: CheckedCall): void => {
  const details = { phase: 'tool', callId: call.id, name };
  turn.trace({ type: 'duplicate_tool_call', source: 'system', summary: toolLabel(name), details });
};

/** Counts an execution and remembers it for the duplicate rule; a session that it began is due next. */
export const recordExecution = (
  turn: Turn,
  { checked, result }: Execution,
  permission: Permission,
): TurnEvent => {
  const { call, declaration, signature } = checked;
  turn.counters.cycles += 1;
  const session = begunSession(checked, result);
  if (session) turn.begunSessions.push(session);
  const novelty = turn.history.add(signature, declaration, permission, result);
  countProgress(turn.counters, declaration, result.success, novelty);
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

const textField = (value: unknown, key: string): string | undefined => {
  const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof field === 'string' && field !== '' ? field : undefined;
};

/** The session that an execution has begun; undefined for any other call, and for a begin that failed. */
const begunSession = ({ declaration }: CheckedCall, result: ToolResult): BegunSession | undefined => {
  if (declaration.name !== BEGIN_WRITE_SESSION || !result.success) return undefined;
  const sessionId = textField(result.result, 'session_id');
  const target = textField(result.result, 'target_file') ?? '';
  return sessionId === undefined ? undefined : { sessionId, target };
};

import { limitJson } from '../../base/json/json-limit.ts';
import { shortenToJsonBytes } from '../../base/json/json-text.ts';
import { toSafeJson } from '../../base/json/safe-json.ts';
import type { ToolCall, ToolResult } from '../../contracts/tools/tool-call.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import type { JsonValue } from '../../contracts/values/json-value.ts';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import type { AttemptedOutcome } from './attempts.ts';
import type { RefusedCall } from './preview-call.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Largest size of one result that the model sees, in bytes of UTF-8 (docs/tools.md). */
export const MODEL_RESULT_BYTES = 32 * KIB;
/**
 * Room, in bytes, for the text that the protocol core puts around a result: the box's rules, the tool's name, the call
 * id.
 */
const BOX_BYTES = 1024;
const MAX_ERROR_BYTES = 4 * KIB;
const MAX_DETAILS_BYTES = 16 * KIB;

/** When a call was begun and when it ended, in milliseconds since 1970. */
export interface CallTimes {
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Returns what has become of a call as its result, which is safe for JSON and Postgres, and small enough for the model.
 * `tool` is undefined if no tool has the name in the call.
 */
export const toolResult = (
  call: ToolCall,
  tool: Tool | undefined,
  { outcome, attempts }: AttemptedOutcome,
  { startedAt, endedAt }: CallTimes,
): ToolResult => ({
  toolCallId: call.id,
  toolName: toolLabel(tool?.declaration.name ?? call.function.name),
  ...resultFields(outcome),
  attempts,
  durationMs: Math.max(0, endedAt - startedAt),
  timestamp: new Date(endedAt).toISOString(),
});

/**
 * Returns the result of a call that has failed its checks and is not run. It counts as one attempt; 0 would mean that a
 * valid call was kept from running. `now` is in milliseconds since 1970.
 */
export const refusedResult = (call: ToolCall, refused: RefusedCall, now: number): ToolResult =>
  toolResult(call, refused.tool, { outcome: refused, attempts: 1 }, { startedAt: now, endedAt: now });

const resultFields = (
  outcome: ToolOutcome,
): Pick<ToolResult, 'success' | 'result' | 'error' | 'details' | 'retryable'> => {
  if (outcome.ok) return { success: true, result: limitForModel(toSafeJson(outcome.result)) };
  const { error, details, isTransient, isRetryable } = outcome;
  return {
    success: false,
    error: shortenToJsonBytes(safeText(error), MAX_ERROR_BYTES),
    ...(details !== undefined && { details: limitJson(toSafeJson(details), MAX_DETAILS_BYTES) }),
    ...((isTransient === true || isRetryable === true) && { retryable: true }),
  };
};

/** Returns a tool's result as the model is shown it: whole, or cut to what fits, with a marker at the cut. */
export const limitForModel = (value: JsonValue): JsonValue =>
  limitJson(value, MODEL_RESULT_BYTES - BOX_BYTES);

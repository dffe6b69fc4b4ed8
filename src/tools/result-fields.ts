import { safeText } from '../contracts/safe-text.ts';
import type { ToolResult } from '../contracts/tool-call.ts';
import { beginning, limitForModel } from '../base/result-limit.ts';
import { toSafeJson } from '../base/safe-json.ts';
import type { ToolOutcome } from './tool.ts';

const MAX_ERROR_BYTES = 4 * 1024;
const MAX_DETAILS_BYTES = 16 * 1024;

/** An outcome as fields of a result: safe for JSON and Postgres, and small enough for the model. */
export const resultFields = (
  outcome: ToolOutcome,
): Pick<ToolResult, 'success' | 'result' | 'error' | 'details' | 'retryable'> => {
  if (outcome.ok) return { success: true, result: limitForModel(toSafeJson(outcome.result)) };
  const { error, details, transient, retryable } = outcome;
  return {
    success: false,
    error: shortened(safeText(error)),
    ...(details === undefined ? {} : { details: limitForModel(toSafeJson(details), MAX_DETAILS_BYTES) }),
    ...(transient === true || retryable === true ? { retryable: true } : {}),
  };
};

const shortened = (error: string): string => {
  const start = beginning(error, MAX_ERROR_BYTES);
  return start === error ? error : `${start}…`;
};

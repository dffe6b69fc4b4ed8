import { OUTCOME_UNKNOWN } from '../../contracts/tools/tool-call.ts';
import { fieldsOf } from '../../contracts/values/unchecked-value.ts';
import type { ToolOutcome } from '../tool.ts';
import { WriteNotDurableError } from '../../files/workspace/replace-file.ts';
import { isTransientErrno } from '../../base/errors/errno.ts';
import { WorkspaceError } from '../../files/workspace/workspace-error.ts';

/**
 * Returns what a tool has thrown as a failure: a refusal of the workspace, a write that a power cut may take back, an
 * error that may pass by itself, or a defect. No other place classifies these errors.
 */
export const classifyToolError = (error: unknown): ToolOutcome & { ok: false } => {
  if (error instanceof WorkspaceError) {
    return { ok: false, error: error.message, details: { code: error.code }, isTransient: error.isTransient };
  }
  if (error instanceof WriteNotDurableError) {
    return { ok: false, error: OUTCOME_UNKNOWN, details: error.message };
  }
  return { ok: false, error: messageOf(error), isTransient: isTransientErrno(error) };
};

const messageOf = (error: unknown): string => {
  const { message } = fieldsOf(error);
  return typeof message === 'string' && message !== '' ? message : `tool failed: ${String(error)}`;
};

import { OUTCOME_UNKNOWN } from '../../contracts/tools/tool-call.ts';
import { fieldsOf } from '../../contracts/values/record.ts';
import type { ToolOutcome } from '../tool.ts';
import { WriteNotDurableError } from '../../files/workspace/replace-file.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { WorkspaceError } from '../../files/workspace/workspace-error.ts';

/** Errors of the operating system and of the network that may pass by themselves. */
const TRANSIENT_ERRNOS = new Set([
  'EAGAIN',
  'EBUSY',
  'EMFILE',
  'ENFILE',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);

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
  const isTransient = TRANSIENT_ERRNOS.has(errnoOf(error) ?? '');
  return { ok: false, error: messageOf(error), isTransient };
};

const messageOf = (error: unknown): string => {
  const { message } = fieldsOf(error);
  return typeof message === 'string' && message !== '' ? message : `tool failed: ${String(error)}`;
};

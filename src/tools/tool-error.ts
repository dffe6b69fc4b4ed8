import type { ToolOutcome } from './tool.ts';
import { errnoOf, WorkspaceError } from '../files/workspace/workspace-error.ts';

/** Errors of the operating system and of the network that pass by themselves. */
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

/** The one classifier of what a tool throws: an expected refusal of the workspace, or a defect. */
export const classifyToolError = (error: unknown): ToolOutcome & { ok: false } => {
  if (error instanceof WorkspaceError) {
    return { ok: false, error: error.message, details: { code: error.code }, transient: error.transient };
  }
  const transient = TRANSIENT_ERRNOS.has(errnoOf(error) ?? '');
  return { ok: false, error: messageOf(error), transient };
};

const messageOf = (error: unknown): string => {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' && message !== '' ? message : `tool failed: ${String(error)}`;
};

import { WorkspaceError } from '../workspace/workspace-error.ts';
import type { CommitFailure } from '../../contracts/write-session/session-messages.ts';

/**
 * Thrown by an attempt that may not write: its session is no longer open, belongs to another workflow run, or has a
 * later attempt.
 */
export class CommitSupersededError extends Error {
  override readonly name = 'CommitSupersededError';

  constructor(sessionId: string) {
    super(
      `write session ${sessionId}: expected the newest attempt of an open session, received an older one`,
    );
  }
}

/** Thrown by a commit or an undo that fails for a reason which the caller must learn. */
export class CommitRefusedError extends Error {
  override readonly name = 'CommitRefusedError';
  readonly failure: CommitFailure;

  constructor(code: CommitFailure['code'], reason: string) {
    super(reason);
    this.failure = { kind: 'failed', code, reason };
  }
}

/**
 * Returns the refusal of a path that leads to another file than before, because a link on it was changed. The lock that
 * is held is for the earlier file.
 */
export const targetMovedError = (path: string): CommitRefusedError =>
  new CommitRefusedError('write_failed', `path leads to another file than when the session began: ${path}`);

/**
 * Returns the failure that an expected error stands for. Returns undefined for any other error, which callers throw
 * again.
 */
export const commitFailureOf = (error: unknown): CommitFailure | undefined => {
  if (error instanceof CommitRefusedError) return error.failure;
  if (!(error instanceof WorkspaceError)) return undefined;
  return { kind: 'failed', code: codeOf(error), reason: error.message };
};

/**
 * Returns `validation_failed` for what is wrong with the request, and `write_failed` for what the file system could not
 * do.
 */
const codeOf = ({ code }: WorkspaceError): CommitFailure['code'] => {
  switch (code) {
    case 'invalid_path':
    case 'outside':
    case 'protected':
    case 'not_a_file':
    case 'not_text':
    case 'too_large':
      return 'validation_failed';
    case 'not_found':
    case 'not_a_directory':
    case 'is_a_directory':
    case 'permission':
    case 'no_space':
    case 'changed':
    case 'busy':
    case 'io':
      return 'write_failed';
    default:
      return code satisfies never;
  }
};

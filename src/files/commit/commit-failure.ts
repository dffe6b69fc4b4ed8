import { WorkspaceError } from '../workspace/workspace-error.ts';
import type { CommitFailure } from '../../contracts/write-session/session-messages.ts';

/** The session is not open any more, is another run's, or a later attempt has begun: this one may not write. */
export class CommitSupersededError extends Error {
  override readonly name = 'CommitSupersededError';

  constructor(sessionId: string) {
    super(
      `write session ${sessionId}: expected the newest attempt of an open session, received an older one`,
    );
  }
}

/** A commit that comes to nothing for a reason that is the caller's to know. */
export class CommitRefusal extends Error {
  override readonly name = 'CommitRefusal';
  readonly failure: CommitFailure;

  constructor(code: CommitFailure['code'], reason: string) {
    super(reason);
    this.failure = { kind: 'failed', code, reason };
  }
}

/** A link on the way was changed: the session has not locked the file that its path names now. */
export const targetMoved = (path: string): CommitRefusal =>
  new CommitRefusal('write_failed', `path leads to another file than when the session began: ${path}`);

/** The failure that an error tells of; undefined for what is no expected failure: the attempt is repeated. */
export const commitFailureOf = (error: unknown): CommitFailure | undefined => {
  if (error instanceof CommitRefusal) return error.failure;
  if (!(error instanceof WorkspaceError)) return undefined;
  return { kind: 'failed', code: codeOf(error), reason: error.message };
};

/** A refusal of the jail is the request's fault; anything else is the file system's reason. */
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

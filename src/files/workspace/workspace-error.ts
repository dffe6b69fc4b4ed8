import { errnoOf } from '../../base/errors/errno.ts';
import { toPrintable } from '../../contracts/values/printable-name.ts';

/**
 * The reasons for which the workspace refuses or fails to do something. Code may rely on them; the texts of errors are
 * for the model.
 */
export type WorkspaceErrorCode =
  | 'invalid_path'
  | 'outside'
  | 'protected'
  | 'not_found'
  | 'not_a_directory'
  | 'is_a_directory'
  | 'not_a_file'
  | 'not_text'
  | 'too_large'
  | 'changed'
  | 'permission'
  | 'no_space'
  | 'busy'
  | 'io';

/** An expected failure of the workspace; tools hand its message to the model as data. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly code: WorkspaceErrorCode;
  readonly #reason: string;

  constructor(code: WorkspaceErrorCode, path: string, reason: string, options?: ErrorOptions) {
    super(path.trim() === '' ? reason : `${reason}: ${shownPath(path)}`, options);
    this.code = code;
    this.#reason = reason;
  }

  /** Returns this failure with the requested path instead of one component of it. */
  of(path: string): WorkspaceError {
    return new WorkspaceError(this.code, path, this.#reason, { cause: this.cause });
  }

  /** True when the same access may succeed a moment later. */
  get isTransient(): boolean {
    return this.code === 'busy' || this.code === 'changed';
  }
}

const MAX_SHOWN_CHARACTERS = 200;

/** Returns a path in a form that a message may have: printable and short, whatever the model sent. */
const shownPath = (path: string): string => {
  const shown = toPrintable(path.toWellFormed());
  return shown.length <= MAX_SHOWN_CHARACTERS ? shown : `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…`;
};

const REASONS: Readonly<Record<string, readonly [WorkspaceErrorCode, string]>> = {
  ENOENT: ['not_found', 'not found'],
  ENOTDIR: ['not_a_directory', 'not a directory'],
  EISDIR: ['is_a_directory', 'is a directory'],
  EACCES: ['permission', 'permission denied'],
  EPERM: ['permission', 'permission denied'],
  EROFS: ['permission', 'read-only file system'],
  ENOSPC: ['no_space', 'no space left'],
  EDQUOT: ['no_space', 'no space left (quota)'],
  ENAMETOOLONG: ['invalid_path', 'name too long'],
  ELOOP: ['invalid_path', 'too many symbolic links'],
  // ENXIO comes from opening a socket, or a FIFO that nobody reads, without waiting.
  ENXIO: ['not_a_file', 'not a regular file'],
  EMFILE: ['busy', 'too many open files, try again'],
  ENFILE: ['busy', 'too many open files, try again'],
  EAGAIN: ['busy', 'busy, try again'],
  EBUSY: ['busy', 'busy, try again'],
  ETXTBSY: ['busy', 'busy (being executed), try again'],
  ESTALE: ['busy', 'changed while it was opened, try again'],
};

/**
 * Returns an error of the file system or of the workspace as a WorkspaceError about `path`. No other place classifies
 * errors of the file system. Anything else (a defect, an abort) is returned as it is.
 */
export const classifyFileError = (error: unknown, path: string): unknown => {
  if (error instanceof WorkspaceError) return error.of(path);
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const [code, reason] = REASONS[errno] ?? ['io', `cannot be accessed (${errno})`];
  return new WorkspaceError(code, path, reason, { cause: error });
};

/**
 * Runs work on files, whose errors become WorkspaceErrors about `path`. It is not for work on the database, whose
 * errors have errnos, too.
 */
export const withWorkspaceErrors = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw classifyFileError(error, path);
  }
};

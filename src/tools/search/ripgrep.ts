import { type ChildProcess, spawn } from 'node:child_process';
import { errnoOf, isTransientErrno } from '../../base/errors/errno.ts';
import { RecordSplitter } from './record-splitter.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Largest number of characters that are kept of a message about a pattern. The rest is read and dropped. */
const MAX_MESSAGE_CHARACTERS = 4 * KIB;

/** One run of ripgrep: program, arguments, and its bounds. */
export interface RipgrepRun {
  /** Path of the binary. */
  readonly program: string;
  readonly args: readonly string[];
  /**
   * Working directory. To name one of `inherit`, give its `inheritedPath` and not the path of our own descriptor: the
   * child renumbers its handles before it changes directory.
   */
  readonly cwd: string;
  /** Handles that the child inherits, as its 3, 4, … (see `inheritedPath`). */
  readonly inherit: readonly number[];
  /** Byte that ends a record of the output. */
  readonly separator: number;
  /** Called with each record as text; returns false when no more is wanted. */
  readonly take: (record: string) => boolean;
  /** Aborted to kill the child at once. */
  readonly signal: AbortSignal;
}

/**
 * The end of a run. `ended` means that everything was searched, except files that could not be read. `stopped` means
 * that no more was wanted or the signal was aborted, so that ripgrep was killed or not even started. `refused` means
 * that ripgrep did not accept its arguments, and `message` says why.
 */
export type RipgrepEnd =
  { readonly kind: 'ended' | 'stopped' } | { readonly kind: 'refused'; readonly message: string };

/**
 * Returns the path by which the child finds the inherited handle at `index`, counted from 0. A file that is opened
 * there is the one that was passed.
 */
export const inheritedPath = (index: number): string => `/dev/fd/${index + 3}`;

/**
 * Runs ripgrep to its end or until no more is wanted. When this settles, the child is gone and reaped. Its environment
 * is empty: no configuration file, no colours, nothing of ours to leak. Rejects when it cannot be started or ends
 * unexpectedly.
 */
export const runRipgrep = async (run: RipgrepRun): Promise<RipgrepEnd> => {
  const { separator, take, signal } = run;
  if (signal.aborted) return { kind: 'stopped' };
  const child = startRipgrep(run);
  // This must come before anything that may throw, because an `error` without a listener ends the process.
  const closed = untilClosed(child);
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const message = collectMessage(child);
  const records = new RecordSplitter(separator, take);
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!records.feed(chunk)) kill();
  });
  try {
    const code = await closed;
    if (records.isStopped || signal.aborted) return { kind: 'stopped' };
    return ripgrepEndOf(code, message.text);
  } finally {
    signal.removeEventListener('abort', kill);
  }
};

/**
 * Returns the path of the installed ripgrep binary. It is looked for at the first search, so that a platform without
 * one lacks only the search. Rejects when there is none.
 */
export const findRipgrep = async (): Promise<string> => {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(`search is not available: ripgrep is not installed for ${platform}`, { cause });
  }
};

/**
 * Reads an exit code: 0 means that something matched, 1 that nothing did, and 2 an error. The error has a message
 * unless it is only about single files. Throws an Error for any other code.
 */
const ripgrepEndOf = (code: number | null, message: string): RipgrepEnd => {
  if (code === 0 || code === 1) return { kind: 'ended' };
  if (code === 2) return message === '' ? { kind: 'ended' } : { kind: 'refused', message };
  throw new Error(`the search program ended unexpectedly (${code ?? 'killed'})`);
};

/**
 * Starts ripgrep. Throws an Error for some failures; others are reported by the `error` of the child, which has no
 * outputs if this process had no handles left for them.
 */
const startRipgrep = ({ program, args, cwd, inherit }: RipgrepRun): ChildProcess => {
  try {
    return spawn(program, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe', ...inherit] });
  } catch (error) {
    throw cannotStartError(error);
  }
};

const untilClosed = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', (error) => reject(cannotStartError(error)));
    child.once('close', resolve);
  });

/**
 * Returns the error for a child that could not be started. Unlike the error from `spawn`, it does not name the path of
 * the binary. It keeps the code only of an error that may pass, so that the runner tries the call again. Any other code
 * would be taken for one about the searched path.
 */
const cannotStartError = (cause: unknown): Error => {
  const errno = errnoOf(cause) ?? 'unknown';
  const error = new Error(`the search program could not be started (${errno})`, { cause });
  return isTransientErrno(cause) ? Object.assign(error, { code: errno }) : error;
};

const collectMessage = ({ stderr }: ChildProcess): { readonly text: string } => {
  const collected = { text: '' };
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    collected.text += text.slice(0, MAX_MESSAGE_CHARACTERS - collected.text.length);
  });
  return collected;
};

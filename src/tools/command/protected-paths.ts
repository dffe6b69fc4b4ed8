import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NUL } from '../../base/text/ascii.ts';
import { isSecretFile, isWriteProtected } from '../../files/workspace/protected-files.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { runRipgrep } from '../search/ripgrep.ts';

/**
 * Globs of names that may be protected, for ripgrep, which lists a whole folder. Every protected name matches at least
 * one of them; `protected-files.ts` then decides.
 */
export const CANDIDATE_GLOBS: readonly string[] = [
  '.*',
  '**/.*/**',
  '**/*.git/**',
  'id_*',
  '*.env',
  '*.{pem,key,p8,p12,pfx,jks,keystore,ppk,kdbx}',
  '_netrc',
  'pgpass.conf',
  'rclone.conf',
  'application_default_credentials.json',
];

/** Largest number of protected files with which a command still runs. Each of them is a mount of its own. */
const MAX_CLOSED = 5_000;
/** Time in milliseconds for finding the protected files. If it is too short for a folder, no command runs there. */
export const PROTECTED_SEARCH_MS = 20_000;
/**
 * The character that stands for bytes that are not UTF-8. A name that contains it may have lost these bytes, and a path
 * that cannot be named cannot be closed.
 */
const REPLACEMENT_CHARACTER = '\uFFFD';
/**
 * Folder of the skills, which are named in every later prompt. No command may make or change a skill, so the folder
 * itself is made and closed.
 */
const SKILLS_FOLDER = '.orion';

/** The files in the folder of a command that it may not read or change, as paths from that folder. */
export interface ProtectedFiles {
  /** Files that the command may not read. */
  readonly unreadable: readonly string[];
  /** Files and folders that the command may not change. */
  readonly readOnly: readonly string[];
}

/**
 * Finds the protected files of a folder (docs/tools.md "Protected files"), and makes its folder of skills if that is
 * missing. Links are not followed. Rejects with WorkspaceError when the files cannot all be closed, with the signal's
 * reason, or with another error if the search fails. After any of these nothing may run.
 */
export const findProtectedFiles = async (
  folder: string,
  program: string,
  signal: AbortSignal,
): Promise<ProtectedFiles> => {
  const collector = new ClosedFileCollector();
  const tooLate = AbortSignal.timeout(PROTECTED_SEARCH_MS);
  const end = await runRipgrep({
    program,
    args: listArguments(),
    cwd: folder,
    inherit: [],
    separator: NUL,
    take: collector.add,
    signal: AbortSignal.any([signal, tooLate]),
  });
  signal.throwIfAborted();
  if (tooLate.aborted) throw cannotCloseError(`they were not found within ${PROTECTED_SEARCH_MS / 1_000} s`);
  if (collector.problem !== undefined) throw cannotCloseError(collector.problem);
  if (end.kind === 'refused') throw new Error(`the protected files could not be listed: ${end.message}`);
  const { unreadable, readOnly } = collector.files;
  const ownEntries = await findOwnFolders(folder);
  return { unreadable, readOnly: [...new Set([...readOnly, ...ownEntries])] };
};

class ClosedFileCollector {
  readonly #unreadable = new Set<string>();
  readonly #readOnly = new Set<string>();
  /** The reason why the files cannot be closed. Undefined while there is none. */
  problem: string | undefined;

  /** Takes one path of the list. Returns false once there is a problem, after which no more is wanted. */
  readonly add = (record: string): boolean => {
    const path = record.replace(/^\.\//, '');
    const folder = writeProtected(path);
    if (folder !== undefined) this.#readOnly.add(folder);
    const isSecret = isSecretFile(path.split('/'));
    if (isSecret) this.#unreadable.add(path);
    if ((isSecret || folder !== undefined) && path.includes(REPLACEMENT_CHARACTER)) {
      this.problem = `the name of a protected file is not UTF-8: ${JSON.stringify(path)}`;
    }
    if (this.#unreadable.size + this.#readOnly.size > MAX_CLOSED) {
      this.problem = `more than ${MAX_CLOSED} protected files`;
    }
    return this.problem === undefined;
  };

  get files(): ProtectedFiles {
    return { unreadable: [...this.#unreadable], readOnly: [...this.#readOnly] };
  }
}

/** Returns the path up to its first write-protected component (`isWriteProtected`), or undefined if it has none. */
const writeProtected = (path: string): string | undefined => {
  const names = path.split('/');
  const index = names.findIndex(isWriteProtected);
  return index < 0 ? undefined : names.slice(0, index + 1).join('/');
};

const listArguments = (): readonly string[] => [
  '--no-config',
  '--no-messages',
  '--files',
  '--null',
  '--hidden',
  '--no-ignore',
  '--no-follow',
  '--glob-case-insensitive',
  ...CANDIDATE_GLOBS.map((glob) => `--glob=${glob}`),
  '--',
  './',
];

/**
 * Makes the folder of skills if there is none. Returns the entries at the top that no command may write: that folder,
 * and `.git` if it exists.
 */
const findOwnFolders = async (folder: string): Promise<readonly string[]> => {
  await mkdir(join(folder, SKILLS_FOLDER)).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
  const existingEntries = await Promise.all([SKILLS_FOLDER, '.git'].map((name) => findFolder(folder, name)));
  return existingEntries.flat();
};

const findFolder = async (folder: string, name: string): Promise<readonly string[]> => {
  const stats = await lstat(join(folder, name)).catch(() => undefined);
  if (stats === undefined) return [];
  if (stats.isSymbolicLink()) throw cannotCloseError(`${name} is a link`);
  return [name];
};

const cannotCloseError = (reason: string): WorkspaceError =>
  new WorkspaceError('protected', '.', `no command is run where protected files cannot be closed: ${reason}`);

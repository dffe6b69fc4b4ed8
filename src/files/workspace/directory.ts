import { constants } from 'node:fs';
import { mkdir, open, realpath, stat, unlink, type FileHandle } from 'node:fs/promises';
import { relative } from 'node:path';
import { errnoOf } from '../../base/errors/errno.ts';
import { WorkspaceError } from './workspace-error.ts';
import { outsideWorkspaceError, refuseUnprintable } from './workspace-path.ts';

/**
 * The way in which entries of an open directory are named.
 *
 * - `handle`: by `/proc/self/fd/<fd>/<name>`. The kernel starts at the open directory, so nobody can swap the
 *   directories above it between a check and a use.
 * - `path`: by absolute path, on systems without /proc (macOS). After each open, the real path is checked to lie in the
 *   root. This is weaker: a process that swaps directories for links between check and use can win that race.
 */
export type EntryNaming = 'handle' | 'path';

/** A directory that is never entered, wherever it is found. It is recognised by device and inode, not by a name. */
export interface ExcludedDirectory {
  readonly dev: bigint;
  readonly ino: bigint;
  /** Real path of the directory when it was opened. */
  readonly path: string;
}

/**
 * Returns the directory at `path`, by device and inode, as one that no walk enters. Rejects with the file system's
 * error when nothing is there.
 */
export const readExcludedDirectory = async (path: string): Promise<ExcludedDirectory> => {
  const { dev, ino } = await stat(path, { bigint: true });
  return { dev, ino, path: await realpath(path) };
};

/** What all directories below a root have in common. */
interface RootContext {
  readonly naming: EntryNaming;
  /** Path of the root. Where entries are named by `path`, every real path must begin with it. */
  readonly root: string;
  readonly excluded: ExcludedDirectory | undefined;
}

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** An open directory whose entries are named relative to its handle. */
export class Directory {
  readonly #handle: FileHandle;
  readonly #context: RootContext;
  /** The prefix that `pathOf` puts before a name; it is itself a path of this directory, for `readdir`. */
  readonly base: string;

  private constructor(handle: FileHandle, context: RootContext, path: string) {
    this.#handle = handle;
    this.#context = context;
    this.base = context.naming === 'handle' ? `/proc/self/fd/${handle.fd}` : path;
  }

  /**
   * Opens a root, and follows links in its path, because where the root lies is the operator's choice. Rejects with
   * WorkspaceError for the excluded directory, or with the file system's error.
   */
  static async openRoot(
    path: string,
    {
      naming,
      excluded,
    }: { readonly naming?: EntryNaming | undefined; readonly excluded?: ExcludedDirectory | undefined } = {},
  ): Promise<Directory> {
    const root = await realpath(path);
    const handle = await open(root, OPEN_DIRECTORY);
    const context = { naming: naming ?? (await detectNaming(handle)), root, excluded };
    const directory = new Directory(handle, context, root);
    await directory.#closeIf(await directory.#isExcluded(), () => ownDataError(path));
    return directory;
  }

  /** How entries are named for the system. It depends on whether the machine has `/proc`. */
  get naming(): EntryNaming {
    return this.#context.naming;
  }

  /** Descriptor of the directory's handle, for a child process to inherit. */
  get fd(): number {
    return this.#handle.fd;
  }

  /** Path under which the file system knows the entry `name`. */
  pathOf(name: string): string {
    return `${this.base}/${name}`;
  }

  /**
   * Opens a sub-directory. Rejects with the file system's error, which is ELOOP or ENOTDIR for a link, and with
   * WorkspaceError for the excluded directory or one that turns out to lie outside of the root.
   */
  async openChild(name: string): Promise<Directory> {
    const handle = await open(this.pathOf(name), OPEN_DIRECTORY);
    const child = new Directory(handle, this.#context, this.pathOf(name));
    await child.#closeIf(this.naming === 'path' && !(await child.#liesInRoot()), () =>
      outsideWorkspaceError(name),
    );
    await child.#closeIf(await child.#isExcluded(), () => ownDataError(name));
    return child;
  }

  /**
   * Opens a sub-directory. Returns undefined when nothing has this name. Rejects like `openChild` for every other
   * failure.
   */
  async findChild(name: string): Promise<Directory | undefined> {
    try {
      return await this.openChild(name);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      return undefined;
    }
  }

  /**
   * Opens a sub-directory, and makes it first if it is missing. Rejects with WorkspaceError if it is missing and its
   * name is unprintable, otherwise as `openChild` does.
   */
  async makeChild(name: string): Promise<Directory> {
    const existing = await this.findChild(name);
    if (existing) return existing;
    refuseUnprintable(name);
    // Another process may have made it meanwhile.
    await mkdir(this.pathOf(name)).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error;
    });
    return this.openChild(name);
  }

  /**
   * Returns this open directory as a root of its own: what lies above it is outside. Both objects share one handle, so
   * close only one of them.
   */
  asRoot(): Directory {
    return new Directory(this.#handle, { ...this.#context, root: this.base }, this.base);
  }

  /**
   * Returns the path from this directory to the excluded one, for a program that walks by path. Returns undefined if
   * there is no excluded directory below this one.
   */
  async findExcludedPath(): Promise<string | undefined> {
    const { excluded } = this.#context;
    if (excluded === undefined) return undefined;
    const path = relative(await realpath(this.base), excluded.path);
    return path === '' || path === '..' || path.startsWith('../') ? undefined : path;
  }

  /** Makes renames and new entries in this directory survive a power cut. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  /** Closes the handle. The directory cannot be used afterwards. */
  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #liesInRoot(): Promise<boolean> {
    // Without a real path the directory was removed or swapped since it was opened, so it counts as outside.
    const real = await realpath(this.base).catch(() => '');
    return real === this.#context.root || real.startsWith(`${this.#context.root}/`);
  }

  async #isExcluded(): Promise<boolean> {
    const { excluded } = this.#context;
    if (excluded === undefined) return false;
    const { dev, ino } = await this.#handle.stat({ bigint: true });
    return dev === excluded.dev && ino === excluded.ino;
  }

  async #closeIf(mustClose: boolean, reason: () => WorkspaceError): Promise<void> {
    if (!mustClose) return;
    await this.close();
    throw reason();
  }
}

/** Removes an entry that is not a directory, if it exists. Rejects unless it is gone afterwards. */
export const removeEntry = async (directory: Directory, name: string): Promise<void> => {
  await unlink(directory.pathOf(name)).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
};

const ownDataError = (path: string): WorkspaceError =>
  new WorkspaceError('protected', path, "inside Orion's own data, which tools neither read nor write");

/** Finds out whether `/proc` leads to the directory that a handle holds open. */
const detectNaming = async (handle: FileHandle): Promise<EntryNaming> => {
  const own = await handle.stat();
  const seen = await stat(`/proc/self/fd/${handle.fd}/.`).catch(() => undefined);
  return seen?.ino === own.ino && seen.dev === own.dev ? 'handle' : 'path';
};

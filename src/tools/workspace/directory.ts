import { constants } from 'node:fs';
import { mkdir, open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { errnoOf } from './workspace-error.ts';
import { outside } from './workspace-path.ts';

/**
 * How entries of an open directory are named.
 * - `handle`: `/proc/self/fd/<fd>/<name>`. The kernel starts at the open directory, so nobody can swap what
 *   stands above it: no check-then-use.
 * - `path`: where there is no /proc (macOS), by absolute path; after each open the real path is checked to lie
 *   in the root. Weaker: a process that swaps directories for links between check and use can win that race.
 */
export type Reach = 'handle' | 'path';

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** An open directory whose entries are named relative to its handle. */
export class Directory {
  readonly #handle: FileHandle;
  readonly #root: string;
  /** What `at` puts before a name; itself a path of this directory, to be read by `readdir`. */
  readonly base: string;
  readonly reach: Reach;

  private constructor(handle: FileHandle, reach: Reach, root: string, path: string) {
    this.#handle = handle;
    this.#root = root;
    this.reach = reach;
    this.base = reach === 'handle' ? `/proc/self/fd/${handle.fd}` : path;
  }

  /** Opens a root, links in its path followed: where the root lies is the operator's choice. */
  static async openRoot(path: string, reach?: Reach): Promise<Directory> {
    const root = await realpath(path);
    const handle = await open(root, OPEN_DIRECTORY);
    return new Directory(handle, reach ?? (await detectReach(handle)), root, root);
  }

  /** Number of its handle, for a child process to inherit. */
  get fd(): number {
    return this.#handle.fd;
  }

  /** Path under which the file system knows the entry `name`. */
  at(name: string): string {
    return `${this.base}/${name}`;
  }

  /** Opens a sub-directory; rejects with ELOOP or ENOTDIR when `name` is a link. */
  async child(name: string): Promise<Directory> {
    const handle = await open(this.at(name), OPEN_DIRECTORY);
    const child = new Directory(handle, this.reach, this.#root, this.at(name));
    if (this.reach === 'handle' || (await child.#liesInRoot())) return child;
    await child.close();
    throw outside(name);
  }

  /** Opens a sub-directory, made first if it is missing. */
  async childMade(name: string): Promise<Directory> {
    try {
      return await this.child(name);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    await mkdir(this.at(name)).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error;
    });
    return this.child(name);
  }

  /** The same open directory as a root of its own: what lies above it is outside. */
  asRoot(): Directory {
    return new Directory(this.#handle, this.reach, this.base, this.base);
  }

  /** Makes renames and new entries in this directory survive a power cut. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #liesInRoot(): Promise<boolean> {
    // Gone again: it was swapped between the open and this check.
    const real = await realpath(this.base).catch(() => '');
    return real === this.#root || real.startsWith(`${this.#root}/`);
  }
}

const detectReach = async (handle: FileHandle): Promise<Reach> => {
  const own = await handle.stat();
  const seen = await stat(`/proc/self/fd/${handle.fd}/.`).catch(() => undefined);
  return seen?.ino === own.ino && seen.dev === own.dev ? 'handle' : 'path';
};

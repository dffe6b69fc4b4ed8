import { readlink } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { WorkspaceError } from './workspace-error.ts';
import { outsideWorkspaceError, refuseUnprintable } from './workspace-path.ts';

/** Largest number of links that are followed in one path, as many as Linux itself follows. */
const MAX_LINKS = 40;

/** The name of an entry in a directory that is held open, so that nobody can move the way to it. */
export interface DirectoryEntry {
  readonly directory: Directory;
  readonly name: string;
  /** Real components from the root to the entry. Only the entry itself may be a link. */
  readonly trail: readonly string[];
}

export interface WalkOptions {
  /** Absolute real path of the root. Absolute link targets below it count as inside. */
  readonly rootPath: string;
  /** True when missing directories on the way are made. */
  readonly makesDirectories?: boolean;
  /**
   * Called with the name of each component, also of a link, before it is entered, made or landed on. Throws to refuse
   * it.
   */
  readonly admit?: (name: string) => void;
}

/**
 * Walks from `root` component by component, each step opened relative to the last handle and never through a link, so
 * there is no moment between a check and its use (without /proc there is one, see `EntryNaming`). Links are read and
 * walked in the same way: they are followed only if every step stays inside (docs/tools.md).
 *
 * A walk keeps only the current directory open beside the root, so for a `..` in a link it goes back to the root and
 * down again.
 */
export class WorkspaceWalk {
  readonly #root: Directory;
  readonly #options: WalkOptions;
  #current: Directory;
  #trail: string[] = [];
  #pending: string[];
  #links = 0;

  constructor(root: Directory, components: readonly string[], options: WalkOptions) {
    this.#root = root;
    this.#current = root;
    this.#pending = [...components];
    this.#options = options;
  }

  /**
   * Walks to a directory, hands it to `use` and closes it afterwards, unless it is the root. `trail` is its real
   * components from the root.
   */
  async walkToDirectory<T>(use: (directory: Directory, trail: readonly string[]) => Promise<T>): Promise<T> {
    try {
      while (this.#pending.length > 0) await this.#step((name) => this.#enter(name));
      return await use(this.#current, this.#trail);
    } finally {
      await this.#moveTo(this.#root);
    }
  }

  /**
   * Walks to the directory of the last component and hands the entry to `land`. `land` must not follow links but reject
   * with ELOOP for one: the walk then continues at the target of the link and calls `land` again. Rejects with EISDIR
   * if the path is the root itself, or ends in `..` through a link.
   */
  async walkToEntry<T>(land: (entry: DirectoryEntry) => Promise<T>): Promise<T> {
    try {
      for (;;) {
        if (this.#pending.length === 0) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
        const isLast = this.#pending.length === 1 && this.#pending[0] !== '..';
        const landed = await this.#step(
          isLast ? (name) => this.#finish(name, land) : (name) => this.#enter(name),
        );
        if (landed !== undefined) return landed.value;
      }
    } finally {
      await this.#moveTo(this.#root);
    }
  }

  /**
   * Returns the real components of the path, whether its entry exists or not. What is missing can hold no links.
   * `refuseLink` rejects with ELOOP for a link.
   */
  async walkToTrail(refuseLink: (entry: DirectoryEntry) => Promise<void>): Promise<readonly string[]> {
    try {
      return await this.walkToEntry(async (entry) => {
        await refuseLink(entry);
        return entry.trail;
      });
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      return this.#trailOfMissing();
    }
  }

  #trailOfMissing(): readonly string[] {
    for (const name of this.#pending) {
      if (name !== '..') {
        this.#options.admit?.(name);
        refuseUnprintable(name);
        this.#trail.push(name);
      } else if (this.#trail.pop() === undefined) {
        throw outsideWorkspaceError('..');
      }
    }
    return this.#trail;
  }

  async #finish<T>(name: string, land: (entry: DirectoryEntry) => Promise<T>): Promise<{ value: T }> {
    this.#options.admit?.(name);
    return { value: await land({ directory: this.#current, name, trail: [...this.#trail, name] }) };
  }

  /** Takes one component; a link in its place is replaced by its target's components. */
  async #step<T>(take: (name: string) => Promise<T>): Promise<T | undefined> {
    const name = this.#pending.shift();
    if (name === undefined) return undefined;
    if (name === '..') return this.#goToParent();
    try {
      return await take(name);
    } catch (error) {
      const errno = errnoOf(error);
      // `#trailOfMissing` continues with the component that is missing.
      if (errno === 'ENOENT') this.#pending.unshift(name);
      // A link that O_NOFOLLOW did not follow. Linux says ENOTDIR where a directory was to be opened and ELOOP where a
      // file was; other systems say ELOOP or EMLINK.
      if (errno !== 'ELOOP' && errno !== 'ENOTDIR' && errno !== 'EMLINK') throw error;
      await this.#follow(name, error);
      return undefined;
    }
  }

  async #enter(name: string): Promise<undefined> {
    this.#options.admit?.(name);
    const next = await (this.#options.makesDirectories === true
      ? this.#current.makeChild(name)
      : this.#current.openChild(name));
    await this.#moveTo(next);
    this.#trail.push(name);
  }

  async #follow(name: string, cause: unknown): Promise<void> {
    const target = await readlink(this.#current.pathOf(name)).catch(() => undefined);
    if (target === undefined) throw cause;
    this.#links += 1;
    if (this.#links > MAX_LINKS) throw new WorkspaceError('invalid_path', name, 'too many symbolic links');
    const components = (text: string) => text.split('/').filter((part) => part !== '' && part !== '.');
    if (!target.startsWith('/')) {
      this.#pending.unshift(...components(target));
      return;
    }
    const { rootPath } = this.#options;
    if (target !== rootPath && !target.startsWith(`${rootPath}/`)) throw outsideWorkspaceError(name);
    this.#pending.unshift(...components(target.slice(rootPath.length)));
    this.#trail = [];
    await this.#moveTo(this.#root);
  }

  /** Goes to the parent. It is found from the root, because the directory's own `..` may have been moved elsewhere. */
  async #goToParent(): Promise<undefined> {
    if (this.#trail.pop() === undefined) throw outsideWorkspaceError('..');
    const trail = this.#trail;
    await this.#moveTo(this.#root);
    for (const name of trail) await this.#moveTo(await this.#current.openChild(name));
  }

  async #moveTo(next: Directory): Promise<void> {
    const left = this.#current;
    this.#current = next;
    if (left !== this.#root && left !== next) await left.close();
  }
}

/**
 * Runs `use` with the directory that `names` lead to, each opened relative to the one before it and never through a
 * link. Closes all of them afterwards, but not `directory` itself.
 */
export const withDescendant = async <T>(
  directory: Directory,
  names: readonly string[],
  use: (directory: Directory) => Promise<T>,
): Promise<T> => {
  const [name, ...rest] = names;
  if (name === undefined) return use(directory);
  const child = await directory.openChild(name);
  try {
    return await withDescendant(child, rest, use);
  } finally {
    await child.close();
  }
};

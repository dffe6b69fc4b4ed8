import { opendir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { createYieldToLoop } from '../../base/timing/yield-to-loop.ts';
import type { Directory } from './directory.ts';
import { readRulesFor, readRulesIn } from './gitignore-files.ts';
import type { IgnoreRules } from '../ignore/ignore-rules.ts';
import { isGitInternal } from './protected-files.ts';
import { withDescendant } from './walk.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { WorkspaceError } from './workspace-error.ts';
import type { Workspace } from './workspace.ts';
import { isTempName } from './write-temps.ts';

/**
 * Largest number of entries that are read of one directory. If there are more, the file system decides which come
 * first.
 */
const MAX_DIRECTORY_ENTRIES = 20_000;
/**
 * Largest number of levels below a listed directory. Deeper directories are not entered, since each level holds one
 * open handle.
 */
export const MAX_DEPTH = 64;

export interface TreeOptions {
  /** Number of levels below the directory, at most `MAX_DEPTH`. 1 lists only its own entries. */
  readonly depth: number;
  /** True when entries are listed that `.gitignore` files and the defaults hide. */
  readonly includesIgnored: boolean;
  /** Largest number of entries; the shallow ones are kept. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** The entries of a directory, down to the requested depth. */
export interface DirectoryTree {
  /** Paths from the project's root, sorted; directories end with `/`, links are listed and not followed. */
  readonly paths: readonly string[];
  /** True when there is more than `limit` allows, or than is read of one directory. */
  readonly isTruncated: boolean;
}

/** Lists a directory of the workspace. Rejects with WorkspaceError, or with the signal's reason. */
export const listTree = (
  workspace: Pick<Workspace, 'withDirectory'>,
  projectId: string,
  path: string,
  options: TreeOptions,
): Promise<DirectoryTree> =>
  workspace.withDirectory(projectId, path, async (directory, trail, root) => {
    const rules = options.includesIgnored ? undefined : await readRulesFor(root, trail);
    const listing = new TreeListing(options);
    await listing.run(directory, { trail, rulesAbove: rules });
    return listing.tree();
  });

/** Where a directory is, and which rules it inherits. */
interface DirectoryScope {
  /** Names from the root to the directory. */
  readonly trail: readonly string[];
  /** Rules of the directories above it. Undefined hides nothing. */
  readonly rulesAbove: IgnoreRules | undefined;
}

/**
 * Lists level by level, so that a limit cuts off the deep entries and not everything after the first large directory.
 * No directory of a level stays open for the next level: the walk to each begins at the top again.
 */
class TreeListing {
  readonly #options: TreeOptions;
  readonly #paths: string[] = [];
  readonly #shareLoop = createYieldToLoop();
  /** True when `limit` entries are listed and there is another. */
  #isFull = false;
  #hasUnreadEntries = false;

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  async run(directory: Directory, scope: DirectoryScope): Promise<void> {
    let level: { names: string[]; scope: DirectoryScope }[] = [{ names: [], scope }];
    const depth = Math.min(this.#options.depth, MAX_DEPTH);
    for (let below = 0; below < depth && level.length > 0; below += 1) {
      const next: typeof level = [];
      for (const { names, scope: inner } of level) {
        if (this.#isFull) return;
        const children = await this.#listBelow(directory, names, inner);
        next.push(...children.map((child) => ({ names: [...names, child.name], scope: child.scope })));
      }
      level = next;
    }
  }

  tree(): DirectoryTree {
    return { paths: this.#paths.toSorted(), isTruncated: this.#isFull || this.#hasUnreadEntries };
  }

  async #listBelow(
    top: Directory,
    names: readonly string[],
    scope: DirectoryScope,
  ): Promise<{ name: string; scope: DirectoryScope }[]> {
    try {
      return await withDescendant(top, names, (directory) => this.#list(directory, scope));
    } catch (error) {
      // A sub-directory that vanished, was swapped for a link, or cannot be entered or read is listed by name only.
      if (names.length > 0 && (errnoOf(error) !== undefined || error instanceof WorkspaceError)) return [];
      throw error;
    }
  }

  /** Adds the entries of one directory; returns its sub-directories. */
  async #list(
    directory: Directory,
    { trail, rulesAbove }: DirectoryScope,
  ): Promise<{ name: string; scope: DirectoryScope }[]> {
    const rules = rulesAbove && (await readRulesIn(directory, { names: trail, rules: rulesAbove }));
    const children: { name: string; scope: DirectoryScope }[] = [];
    for (const entry of await this.#readSortedEntries(directory)) {
      await this.#shareLoop();
      this.#options.signal?.throwIfAborted();
      const names = [...trail, entry.name];
      if (isTempName(entry.name) || (rules && isHidden(rules, names, entry))) continue;
      if (this.#paths.length >= this.#options.limit) {
        this.#isFull = true;
        return children;
      }
      this.#paths.push(`${names.join('/')}${entry.isDirectory() ? '/' : ''}`);
      const scope = { trail: names, rulesAbove: rules };
      if (entry.isDirectory()) children.push({ name: entry.name, scope });
    }
    return children;
  }

  async #readSortedEntries(directory: Directory): Promise<readonly Dirent[]> {
    const entries: Dirent[] = [];
    for await (const entry of await opendir(directory.base, { bufferSize: 256 })) {
      if (entries.length === MAX_DIRECTORY_ENTRIES) {
        this.#hasUnreadEntries = true;
        break;
      }
      entries.push(entry);
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/**
 * Reports whether an entry is hidden. git's own files are hidden even where a rule such as `!*` takes everything back.
 */
const isHidden = (rules: IgnoreRules, names: readonly string[], entry: Dirent): boolean =>
  isGitInternal(entry.name) || rules.ignores({ names, isDirectory: entry.isDirectory() });

import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import type { Directory } from './directory.ts';
import { rulesFor, rulesIn } from './gitignore-files.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { descend } from './walk.ts';
import { errnoOf, WorkspaceError } from './workspace-error.ts';
import type { Workspace } from './workspace.ts';
import { isTempName } from './write-temp.ts';

/** Deeper directories are named but not entered; each level holds one open handle. */
const MAX_DEPTH = 64;

export interface TreeOptions {
  /** Levels below the directory; 1 lists its own entries only. */
  readonly depth: number;
  /** List what `.gitignore` files and the defaults hide. */
  readonly noIgnore: boolean;
  /** Entries at most; the shallow ones are kept. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

export interface Tree {
  /** Paths from the project's root, sorted; directories end with `/`, links are listed and not followed. */
  readonly paths: readonly string[];
  /** There is more than `limit` allowed. */
  readonly truncated: boolean;
}

/** Lists a directory of the workspace. Rejects with WorkspaceError. */
export const listTree = (
  workspace: Workspace,
  projectId: string,
  path: string,
  options: TreeOptions,
): Promise<Tree> =>
  workspace.withDirectory(projectId, path, async (directory, trail, root) => {
    const rules = options.noIgnore ? undefined : await rulesFor(root, trail);
    const listing = new TreeListing(options);
    await listing.run(directory, { path: trail.join('/'), rules });
    return listing.tree();
  });

/** Where a directory lies, and the rules that hold in it; undefined rules hide nothing. */
interface Scope {
  readonly path: string;
  readonly rules: IgnoreRules | undefined;
}

/**
 * Level by level, so that a limit cuts the deep entries and not everything after the first large directory;
 * each level walks down again from the directory listed.
 */
class TreeListing {
  readonly #options: TreeOptions;
  readonly #paths: string[] = [];
  #truncated = false;

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  async run(directory: Directory, scope: Scope): Promise<void> {
    let level: { names: string[]; scope: Scope }[] = [{ names: [], scope }];
    const depth = Math.min(this.#options.depth, MAX_DEPTH);
    for (let below = 0; below < depth && level.length > 0 && !this.#truncated; below += 1) {
      const next: typeof level = [];
      for (const { names, scope: inner } of level) {
        const children = await this.#listBelow(directory, names, inner);
        next.push(...children.map((child) => ({ names: [...names, child.name], scope: child.scope })));
      }
      level = next;
    }
  }

  tree(): Tree {
    return { paths: this.#paths.toSorted(), truncated: this.#truncated };
  }

  async #listBelow(
    top: Directory,
    names: readonly string[],
    scope: Scope,
  ): Promise<{ name: string; scope: Scope }[]> {
    try {
      return await descend(top, names, (directory) => this.#list(directory, scope));
    } catch (error) {
      // A sub-directory that vanished, was swapped for a link, or may not be entered is listed by name only.
      if (names.length > 0 && (errnoOf(error) !== undefined || error instanceof WorkspaceError)) return [];
      throw error;
    }
  }

  /** Adds the entries of one directory; returns its sub-directories. */
  async #list(directory: Directory, { path, rules }: Scope): Promise<{ name: string; scope: Scope }[]> {
    this.#options.signal?.throwIfAborted();
    const own = rules && (await rulesIn(directory, { path, rules }));
    const children: { name: string; scope: Scope }[] = [];
    for (const entry of await sortedEntries(directory)) {
      const child = path === '' ? entry.name : `${path}/${entry.name}`;
      const shown = entry.isDirectory() ? `${child}/` : child;
      if (isTempName(entry.name) || own?.ignores(shown) === true) continue;
      if (this.#paths.length >= this.#options.limit) {
        this.#truncated = true;
        return children;
      }
      this.#paths.push(shown);
      if (entry.isDirectory()) children.push({ name: entry.name, scope: { path: child, rules: own } });
    }
    return children;
  }
}

const sortedEntries = async (directory: Directory): Promise<Dirent[]> => {
  const entries = await readdir(directory.base, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
};

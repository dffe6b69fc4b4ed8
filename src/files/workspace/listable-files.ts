import type { Directory } from './directory.ts';
import { readRulesIn } from './gitignore-files.ts';
import type { IgnoreRules } from '../ignore/ignore-rules.ts';
import { type OpenFile, openRegularFile } from './open-file.ts';
import { isGitInternal, isSecretFile } from './protected-files.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { WorkspaceError } from './workspace-error.ts';
import { MAX_DEPTH } from './tree.ts';
import { isTempName } from './write-temps.ts';

export interface ListableFilesOptions {
  readonly root: Directory;
  /** The directory that is listed, as real components from the root. */
  readonly trail: readonly string[];
  /** Rules of the directories above it (`readRulesFor`); undefined hides nothing. */
  readonly rules: IgnoreRules | undefined;
}

/**
 * Opens files below a directory by their paths, which come from a program that walks directories in its own way. It
 * opens only files that may be read and that `listTree` would list if it had no limit, and none of git's own files.
 * Each step of a path is opened relative to the last handle and never through a link.
 */
export class ListableFiles {
  readonly #options: ListableFilesOptions;
  readonly #rulesBelow = new Map<string, Promise<IgnoreRules>>();

  constructor(options: ListableFilesOptions) {
    this.#options = options;
  }

  /**
   * Reports whether a file may be opened as far as its path shows, before the ignore rules and the file system are
   * asked.
   */
  mayBeOpened(path: string): boolean {
    const components = path.split('/');
    const name = components.at(-1) ?? '';
    // `..` is not an entry of a directory but a way out of it.
    if (components.some((component) => ['', '.', '..'].includes(component))) return false;
    if (isTempName(name) || components.some(isGitInternal)) return false;
    return !isSecretFile(components);
  }

  /**
   * Opens the file at a path from the root. Returns undefined when it is hidden or protected, or cannot be opened as a
   * regular file without following a link. Also returns undefined when it does not lie below the listed directory or
   * lies deeper than `MAX_DEPTH`.
   */
  async open(path: string): Promise<OpenFile | undefined> {
    const { trail } = this.#options;
    const components = path.split('/');
    const isBelow = components.length > trail.length && trail.every((name, i) => components[i] === name);
    if (!isBelow || components.length > trail.length + MAX_DEPTH || !this.mayBeOpened(path)) return undefined;
    try {
      return await this.#enter(components);
    } catch (error) {
      if (errnoOf(error) !== undefined || error instanceof WorkspaceError) return undefined;
      throw error;
    }
  }

  /** Walks to a file. Each directory is closed once the next one is open, because many files are opened at once. */
  async #enter(names: readonly string[]): Promise<OpenFile | undefined> {
    const { root, trail } = this.#options;
    let { rules } = this.#options;
    let directory = root;
    try {
      for (const [depth, name] of names.entries()) {
        const partialNames = names.slice(0, depth + 1);
        const isFile = partialNames.length === names.length;
        if (depth >= trail.length) {
          rules = await this.#readRulesIn(directory, names.slice(0, depth), rules);
          if (rules?.ignores({ names: partialNames, isDirectory: !isFile }) === true) return undefined;
        }
        if (isFile) return await openRegularFile({ directory, name, trail: partialNames });
        const child = await directory.openChild(name);
        if (directory !== root) await directory.close();
        directory = child;
      }
      return undefined;
    } finally {
      if (directory !== root) await directory.close();
    }
  }

  /**
   * Returns the rules in a directory. Its `.gitignore` is read only once, so that one answer is based on one set of
   * rules.
   */
  #readRulesIn(
    directory: Directory,
    names: readonly string[],
    rules: IgnoreRules | undefined,
  ): Promise<IgnoreRules> | undefined {
    if (rules === undefined) return undefined;
    const path = names.join('/');
    const known = this.#rulesBelow.get(path) ?? readRulesIn(directory, { names, rules });
    this.#rulesBelow.set(path, known);
    return known;
  }
}

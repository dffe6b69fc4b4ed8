import type { FileHandle } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import { IgnoreRules } from '../ignore/ignore-rules.ts';
import { openRegularFile } from './open-file.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { WorkspaceError } from './workspace-error.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Largest `.gitignore` that is read, in bytes. A larger one counts as none, since nobody writes it by hand. */
const MAX_GITIGNORE_BYTES = 256 * KIB;

/**
 * Returns the rules of all directories above the one at `trail`. Returns undefined, which hides nothing, when they hide
 * that directory itself. It was asked for by name, and an empty answer would say that it is empty.
 */
export const readRulesFor = async (
  root: Directory,
  trail: readonly string[],
): Promise<IgnoreRules | undefined> => {
  let rules = IgnoreRules.defaults();
  let directory = root;
  try {
    for (const [depth, name] of trail.entries()) {
      rules = await readRulesIn(directory, { names: trail.slice(0, depth), rules });
      const child = await directory.openChild(name);
      if (directory !== root) await directory.close();
      directory = child;
    }
  } finally {
    if (directory !== root) await directory.close();
  }
  return trail.length > 0 && rules.ignores({ names: trail, isDirectory: true }) ? undefined : rules;
};

/** Returns the rules that hold in a directory: those from above and its own `.gitignore`. */
export const readRulesIn = async (
  directory: Directory,
  { names, rules }: { readonly names: readonly string[]; readonly rules: IgnoreRules },
): Promise<IgnoreRules> => {
  const text = await readGitignore(directory, rules);
  return text === undefined ? rules : rules.with(text, names);
};

/**
 * Returns the text of a directory's `.gitignore`. Returns undefined when there is none, or none that counts: a link
 * (which git ignores, too), a directory, a huge file, one too many for the listing, or one that cannot be read.
 */
const readGitignore = async (directory: Directory, rules: IgnoreRules): Promise<string | undefined> => {
  try {
    const { handle, stats } = await openRegularFile({ directory, name: '.gitignore', trail: [] });
    try {
      return await (stats.size <= MAX_GITIGNORE_BYTES && rules.admit(stats.size)
        ? readBeginning(handle, stats.size)
        : undefined);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) !== undefined || error instanceof WorkspaceError) return undefined;
    throw error;
  }
};

/** Reads no more bytes than were counted, even if the file grows meanwhile. */
const readBeginning = async (handle: FileHandle, bytes: number): Promise<string> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.toString('utf8', 0, bytesRead);
};

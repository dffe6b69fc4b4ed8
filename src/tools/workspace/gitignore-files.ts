import type { Directory } from './directory.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { openRegularFile } from './open-file.ts';
import { descend } from './walk.ts';
import { errnoOf, WorkspaceError } from './workspace-error.ts';

/** Rules beyond this size are left out: nobody writes them by hand. */
const MAX_GITIGNORE_BYTES = 256 * 1024;

/**
 * Rules of all directories above the one at `trail`. An ignored directory that was asked for by name is listed
 * whole: an empty answer would say that it is empty.
 */
export const rulesFor = async (
  root: Directory,
  trail: readonly string[],
): Promise<IgnoreRules | undefined> => {
  let rules = IgnoreRules.defaults();
  for (const [depth] of trail.entries()) {
    const above = trail.slice(0, depth);
    rules = await descend(root, above, (directory) => rulesIn(directory, { path: above.join('/'), rules }));
  }
  return trail.length > 0 && rules.ignores(`${trail.join('/')}/`) ? undefined : rules;
};

/** The rules that hold in a directory: those from above and its own `.gitignore`. */
export const rulesIn = async (
  directory: Directory,
  { path, rules }: { readonly path: string; readonly rules: IgnoreRules },
): Promise<IgnoreRules> => {
  const text = await readGitignore(directory);
  return text === undefined ? rules : rules.with(text, path);
};

/** Undefined when there is none, or none that counts: a link (git ignores those, too), a directory, a huge file. */
const readGitignore = async (directory: Directory): Promise<string | undefined> => {
  try {
    const { handle, stats } = await openRegularFile({ directory, name: '.gitignore', trail: [] });
    try {
      return stats.size > MAX_GITIGNORE_BYTES ? undefined : await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) !== undefined || error instanceof WorkspaceError) return undefined;
    throw error;
  }
};

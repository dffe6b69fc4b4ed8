import { isSameContent, type TargetState } from '../workspace/target-file.ts';
import type { CommitSession } from './commit-sessions.ts';

/**
 * Returns why an operation does not fit its target, which holds `before`: a `create` whose target exists with other
 * content, or an `append` without a target. Returns undefined if it fits. A `create` fits a target that holds exactly
 * what it would write (docs/write-sessions.md).
 */
export const targetMisfit = (
  { operation, targetFile }: Pick<CommitSession, 'operation' | 'targetFile'>,
  before: TargetState | null,
  content: TargetState,
): string | undefined => {
  if (operation === 'create' && before !== null && !isSameContent(before, content)) {
    return fileExistsText(targetFile);
  }
  if (operation === 'append' && before === null) return `missing file, nothing to append to: ${targetFile}`;
  return undefined;
};

/** Returns the reason why a new file cannot be written at `path`, since there is one already. */
export const fileExistsText = (path: string): string => `file exists: ${path}`;

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { safeInLine } from '../base/text/safe-for-terminal.ts';
import type { FileChange } from './tool.ts';
import { KIB } from '../contracts/values/units.ts';

/**
 * Time in milliseconds that comparing a file before and after a change may take. A longer comparison would hold up the
 * event loop, so a line of words replaces its diff.
 */
export const DIFF_MS = 100;
/** Largest number of unchanged lines that a diff shows before and after each change. */
export const CONTEXT_LINES = 3;
/**
 * Largest diff, in characters. For edits this bounds the texts that are compared, not their diff. Beyond it a line of
 * words is shown.
 */
export const MAX_DIFF_CHARACTERS = 256 * KIB;

/**
 * Describes a change whose lines are not shown, by the sizes of the file in bytes. `before` is null if there was no
 * file.
 */
export const sizeChangeText = (target: string, before: number | null, after: number): string =>
  `${safeInLine(target)}: ${before === null ? 'no file' : `${before} bytes`} → ${after} bytes`;

/**
 * Returns the diff that the change brings along, otherwise a unified diff of its two contents. Returns a line of words
 * where that diff would be too long or take too long, and where a content is unknown or binary.
 */
export const fileDiff = ({ target, before, after, diff }: FileChange): string => {
  if (diff !== undefined) return diff;
  const sizeChange = sizeChangeText(target, before?.bytes ?? null, after.byteLength);
  if (before !== null && before.content === undefined) return sizeChange;
  const [old, fresh] = [diffableText(before?.content ?? Buffer.alloc(0)), diffableText(after)];
  if (old === undefined || fresh === undefined) return sizeChange;
  const options = { context: CONTEXT_LINES, timeout: DIFF_MS, headerOptions: FILE_HEADERS_ONLY };
  const oldName = before === null ? '/dev/null' : target;
  const patch = createTwoFilesPatch(oldName, target, old, fresh, undefined, undefined, options);
  return patch === undefined || patch.length > MAX_DIFF_CHARACTERS ? sizeChange : patch;
};

const diffableText = (bytes: Uint8Array): string | undefined => {
  const text = Buffer.from(bytes).toString('utf8');
  return text.includes('\0') ? undefined : text;
};

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { safeInLine } from '../base/text/safe-for-terminal.ts';
import type { FileChange } from './tool.ts';

/** Milliseconds that one comparison may take. A longer one would hold up the event loop, and is replaced by words. */
export const DIFF_MS = 100;
/** Lines of a diff that are shown unchanged around each change. */
export const CONTEXT_LINES = 3;
/** The longest diff in characters; a longer one is replaced by words. */
export const MAX_DIFF_CHARACTERS = 256 * 1024;

const diffableText = (bytes: Uint8Array): string | undefined => {
  const text = Buffer.from(bytes).toString('utf8');
  return text.includes('\0') ? undefined : text;
};

/** Describes a change of a file whose lines are not shown. */
export const patchInWords = (target: string, before: number | null, after: number): string =>
  `${safeInLine(target)}: ${before === null ? 'no file' : `${before} bytes`} → ${after} bytes`;

/**
 * Returns the effect of a change on a file as a unified diff. Returns a line of words instead where the diff would be
 * too long or take too long, or where the content is unknown or no text.
 */
export const fileDiff = ({ target, before, after, diff }: FileChange): string => {
  if (diff !== undefined) return diff;
  const inWords = patchInWords(target, before?.bytes ?? null, after.byteLength);
  if (before !== null && before.content === undefined) return inWords;
  const [old, fresh] = [diffableText(before?.content ?? Buffer.alloc(0)), diffableText(after)];
  if (old === undefined || fresh === undefined) return inWords;
  const options = { context: CONTEXT_LINES, timeout: DIFF_MS, headerOptions: FILE_HEADERS_ONLY };
  const oldName = before === null ? '/dev/null' : target;
  const patch = createTwoFilesPatch(oldName, target, old, fresh, undefined, undefined, options);
  return patch === undefined || patch.length > MAX_DIFF_CHARACTERS ? inWords : patch;
};

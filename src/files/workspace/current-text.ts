import { isUtf8 } from 'node:buffer';
import type { TargetBefore } from './target-before.ts';

/** The current text of a file, null if there is none, or the reason why it is not shown. */
export type CurrentText = { readonly text: string | null } | { readonly reason: string };

/** Returns what a file holds as a text that can be compared with another one. */
export const currentText = (found: TargetBefore | null): CurrentText => {
  if (found === null) return { text: null };
  const { content } = found;
  return content === undefined
    ? { reason: 'The file is too long to be compared, or holds secrets.' }
    : decodeText(content);
};

/** Returns bytes as text. If they are not UTF-8, or hold NUL, it returns the reason why they are not shown. */
export const decodeText = (bytes: Buffer): CurrentText =>
  isUtf8(bytes) && !bytes.includes(0) ? { text: bytes.toString() } : { reason: 'The file is no text.' };

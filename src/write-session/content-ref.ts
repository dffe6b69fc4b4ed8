import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ContentRef } from '../contracts/write-session/write-session.ts';

/**
 * Returns the hash and size of a text as it is in a file (UTF-8). With them a workflow names the content to commit, so
 * that nothing else can be committed. The hash is computed in JavaScript, since the sandbox of workflows has no crypto.
 */
export const contentRefOf = (text: string): ContentRef => {
  const bytes = new TextEncoder().encode(text);
  return { sha256: bytesToHex(sha256(bytes)), bytes: bytes.length, lines: countLines(text) };
};

/** Returns the number of lines of a text. A final line break ends the last line and starts none. */
export const countLines = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

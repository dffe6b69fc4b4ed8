import type { ContentRef } from '../contracts/write-session.ts';
import { sha256 } from './sha256.ts';

/** Hash and size of a text as it stands in a file (UTF-8). A final line break ends the last line and starts none. */
export const contentFacts = (text: string): ContentRef => {
  const bytes = new TextEncoder().encode(text);
  return { sha256: sha256(bytes), bytes: bytes.length, lines: countLines(text) };
};

const countLines = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

import { readFileSync } from 'node:fs';

const DESCRIPTION = /\.describe\(\s*(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g;

/** Returns the texts of `.describe('…')` in a file, in the order in which they are written. */
export const descriptionsOf = (path: string): readonly string[] =>
  Array.from(
    readFileSync(path, 'utf8').matchAll(DESCRIPTION),
    ([, quoted, template]) => quoted ?? template ?? '',
  );

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A depth at which the backtracking rule below took more than ten seconds for one path when ignore rules were compiled
 * to regular expressions.
 */
const DEPTH = 44;

/** Fills a folder as a hostile model might: with an ignore rule that backtracks and ten thousand harmless ones. */
export const writeEvilFolder = (folder: string): void => {
  const deep = join(folder, ...Array.from({ length: DEPTH }, () => 'a'));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'f'), '');
  const harmless = Array.from({ length: 10_000 }, (_, i) => `*.ignored-${i}`);
  writeFileSync(join(folder, '.gitignore'), [`${'**/a/'.repeat(12)}**/b`, ...harmless].join('\n'));
};

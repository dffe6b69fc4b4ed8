/**
 * Properties that an object may lack are written in one way everywhere: `...(condition && { name })`. Readers need not
 * find out whether `condition ? {} : { name }` means the same.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Matches a spread of an empty object or of something else, in either order. */
const EMPTY_OR = /\.\.\.\((?:(?!\.\.\.|;)[\s\S])*?(?:\?\s*\{\}\s*:|:\s*\{\}\s*\))/g;

it('an object spreads `condition && { … }`, not `condition ? { … } : {}`', () => {
  const files = globSync('{src,activities,workflows,worker,test,examples}/**/*.{ts,tsx}', {
    cwd: root,
  }).filter((file) => !file.includes('sample-workspace') && !file.startsWith('test/house-rules/'));
  expect(files.length).toBeGreaterThan(1_000);
  const spreads = files.flatMap((file) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(EMPTY_OR), ([text]) => ({ file, text })),
  );
  expect(spreads).toEqual([]);
});

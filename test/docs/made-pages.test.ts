/* A generated page agrees with the code; if it does not, `npm run docs` was forgotten. */
import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { makePages } from './made-pages.ts';

it('the generated pages of docs/ are what `npm run docs` makes from the code', async () => {
  const pages = await makePages();
  expect(pages.size).toBeGreaterThan(0);
  for (const [path, text] of pages) expect([path, await readFile(path, 'utf8')]).toEqual([path, text]);
});

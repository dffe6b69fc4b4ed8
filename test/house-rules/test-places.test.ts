import { basename, dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, TEST_FILES } from '../support/repository-files.ts';

/** Returns the folder in which the test of a source file is looked for; `src` is left out. */
const mirrorOf = (file: string): string => join('test', dirname(file).replace(/^src\//, ''));
const roomOfTest = (folder: string): string => folder.split('/').slice(0, 2).join('/');

/** The tests of this folder drive the whole page. */
const OF_THE_PAGE = 'test/web/browser';

it('a test that has the name of a source file is in the same folder as that file', () => {
  const sources = Map.groupBy(PRODUCT_FILES, (file) => basename(file).replace(/\.\w+$/, ''));
  const tests = TEST_FILES.filter((file) => file.endsWith('.test.ts'));
  expect(tests.length).toBeGreaterThan(300);
  const elsewhere = tests.filter((test) => {
    const folders = (sources.get(basename(test, '.test.ts')) ?? []).map(mirrorOf);
    const own = folders.filter((folder) => roomOfTest(folder) === roomOfTest(test));
    return own.length > 0 && ![...own, OF_THE_PAGE].includes(dirname(test));
  });
  expect(elsewhere).toEqual([]);
});

/** The comment of a whole file stands above its imports (CONTRIBUTING.md). */
import { expect, it } from '@jest/globals';
import { CODE_FILES, sourceOf } from '../support/repository-files.ts';

/** Matches imports, and after them a comment that documents nothing below it and declares no type. */
const BELOW_IMPORTS =
  /^(?:\/\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:import [^;]*;\n)+\n\/\*(?:(?!\*)(?:(?!\*\/)[\s\S])*\*\/\n|(?:(?!\*\/|@typedef)[\s\S])*\*\/\n\n)/;

it('no comment of a whole file stands below the imports', () => {
  expect(CODE_FILES.length).toBeGreaterThan(1_000);
  expect(CODE_FILES.filter((file) => BELOW_IMPORTS.test(sourceOf(file)))).toEqual([]);
});

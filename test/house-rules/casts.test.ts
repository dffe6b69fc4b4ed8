import { expect, it } from '@jest/globals';
import { sourceOf, TEST_FILES } from '../support/repository-files.ts';

/** The files that may contain casts: two are meant to have them, and this one searches for them. */
const CASTS = new Set([
  'test/support/untyped.ts',
  'test/support/part-of.ts',
  'test/house-rules/casts.test.ts',
]);

/**
 * Matches the casts that take any value for any type. A double is typed with `partOf` instead, and a value that is
 * wrong on purpose is marked with `untyped`.
 */
const FORCING = / as (?:never\b(?! )|unknown as )|\{\} as (?!Record\b)[A-Z]/;

it('no test forces a value into a type with `as never`, `as unknown as` or `{} as`', () => {
  const tests = TEST_FILES.filter((file) => !CASTS.has(file));
  const forced = tests.filter((file) => FORCING.test(sourceOf(file)));
  expect(forced).toEqual([]);
});

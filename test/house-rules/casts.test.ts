import { expect, it } from '@jest/globals';
import { sourceOf, TEST_FILES } from '../support/repository-files.ts';

/** The files that may contain casts: two are meant to have them, and this one searches for them. */
const CASTS = new Set([
  'test/support/untyped.ts',
  'test/support/part-of.ts',
  'test/house-rules/casts.test.ts',
]);

it('no test casts a value: doubles are typed (`partOf`), and wrong values are marked (`untyped`)', () => {
  const tests = TEST_FILES.filter((file) => !CASTS.has(file));
  const forced = tests.filter((file) =>
    / as (?:never\b(?! )|unknown as )|\{\} as (?!Record\b)[A-Z]/.test(sourceOf(file)),
  );
  expect(forced).toEqual([]);
});

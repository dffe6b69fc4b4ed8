/**
 * Properties that an object may lack are written in one way everywhere: `...(condition && { name })`. Readers need not
 * find out whether `condition ? {} : { name }` means the same.
 */
import { expect, it } from '@jest/globals';
import { CODE_FILES, sourceOf } from '../support/repository-files.ts';

/** Matches a spread of an empty object or of something else, in either order. */
const EMPTY_OR = /\.\.\.\((?:(?!\.\.\.|;)[\s\S])*?(?:\?\s*\{\}\s*:|:\s*\{\}\s*\))/g;

it('an object spreads `condition && { … }`, not `condition ? { … } : {}`', () => {
  const files = CODE_FILES.filter((file) => !file.startsWith('test/house-rules/'));
  expect(files.length).toBeGreaterThan(1_000);
  const spreads = files.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(EMPTY_OR), ([text]) => ({ file, text })),
  );
  expect(spreads).toEqual([]);
});

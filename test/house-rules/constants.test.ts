/** A constant at the top of a file that holds data has a name in upper case (CONTRIBUTING.md). */
import { expect, it } from '@jest/globals';
import { sourceOf, WITHOUT_MIGRATIONS } from '../support/repository-files.ts';

/** Matches a constant whose value begins as a text, a number, a pattern or a list does. Tables look like objects. */
const DATA = /^(?:export )?const (\w+)(?:: [^=\n]+)? =\s+(?:['"`/\d[]|new (?:Set|Map)\(\[)/gm;

/** What only begins like data: a boolean, handlers of requests, and modules that are loaded. */
const NO_DATA = [
  'src/cli/bin.mjs: stripsTypes',
  'src/gateway/requests/json-body.ts: jsonBody',
  'workflows/preload.ts: contracts',
];

it('constants with texts, numbers, patterns and lists have names in upper case', () => {
  const found = WITHOUT_MIGRATIONS.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(DATA), ([, name = '']) => ({ name, place: `${file}: ${name}` })),
  );
  expect(found.length).toBeGreaterThan(500);
  const others = found.filter(({ name }) => !/^[A-Z][A-Z\d_]*$/.test(name)).map(({ place }) => place);
  expect(others.toSorted()).toEqual(NO_DATA);
});

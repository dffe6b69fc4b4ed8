/** Jest starts the servers for the tests that `jest.config.ts` lists, so that list has to agree with what tests use. */
import { expect, it } from '@jest/globals';
import { servers } from '../../jest.config.ts';
import { CODE_FILES, importsIn, sourceOf, TEST_FILES } from '../support/repository-files.ts';

/** Matches where a file reads an address of the servers (`test/support/test-servers.ts`). */
const READS_ADDRESS = /environment\('ORION_TEST_|env\['ORION_TEST_(?:DATABASE|TEMPORAL|WORKFLOW)/;

const withoutTypes = (text: string): string => text.replace(/^import type [^;]*;$/gm, '');
const IMPORTS = new Map(CODE_FILES.map((path) => [path, importsIn(path, withoutTypes(sourceOf(path)))]));

/** Reports whether a file, or one that it imports, reads an address of the servers. */
const usesServers = (path: string, seen = new Set<string>()): boolean => {
  if (seen.has(path) || !IMPORTS.has(path)) return false;
  seen.add(path);
  if (READS_ADDRESS.test(sourceOf(path))) return true;
  return (IMPORTS.get(path) ?? []).some((target) => usesServers(target, seen));
};

/** The listed folders, each with a `/` at its end, and the listed files. */
const LISTED = servers.testMatch.map((pattern) =>
  pattern.replace('<rootDir>/', '').replace('**/*.test.ts', ''),
);
const isListed = (test: string): boolean =>
  LISTED.some((path) => (path.endsWith('/') ? test.startsWith(path) : test === path));

/** Tests that `npm test` does not run. They have configurations of their own. */
const OTHER = /^test\/(?:slow|schedules|containers)\//;
const TESTS = TEST_FILES.filter((path) => path.endsWith('.test.ts') && !OTHER.test(path));

it('a test that uses Temporal, Postgres or the workflow bundle is listed', () => {
  const users = TESTS.filter((test) => usesServers(test));
  expect(users.length).toBeGreaterThan(100);
  expect(users.filter((test) => !isListed(test))).toEqual([]);
});

it('of each listed folder or file, at least one test uses a server', () => {
  const listed = LISTED.map((path) => TESTS.filter((test) => test.startsWith(path))).filter(
    (tests) => tests.length > 0,
  );
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((tests) => !tests.some((test) => usesServers(test)))).toEqual([]);
});

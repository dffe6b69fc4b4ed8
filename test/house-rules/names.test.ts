/**
 * A word means one thing: a search for an exported name finds one definition, and a search for a file name finds one
 * file (CONTRIBUTING.md).
 */
import { basename, dirname } from 'node:path';
import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, sourceOf, TEST_FILES, WITHOUT_MIGRATIONS } from '../support/repository-files.ts';

const EXPORTED = /^export (?:abstract )?(?:const|class|type|interface) (\w+)/gm;

it('no exported name is defined twice', () => {
  const names = WITHOUT_MIGRATIONS.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(EXPORTED), ([, name]) => ({ name, file })),
  );
  expect(names.length).toBeGreaterThan(1_000);
  const twice = [...Map.groupBy(names, ({ name }) => name).values()].filter((found) => found.length > 1);
  expect(twice).toEqual([]);
});

it('no two files of test/support, which all tests import, export the same name', () => {
  const files = TEST_FILES.filter((file) => dirname(file) === 'test/support');
  const names = files.flatMap((file) => Array.from(sourceOf(file).matchAll(EXPORTED), ([, name]) => name));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

/** Matches a class or type of a file, exported or not. */
const TYPE = /^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm;

it('no two files have a class or type of the same name, not even local ones', () => {
  const names = WITHOUT_MIGRATIONS.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(TYPE), ([, name]) => ({ name, file })),
  );
  expect(names.length).toBeGreaterThan(1_000);
  const twice = [...Map.groupBy(names, ({ name }) => name).values()].filter((found) => found.length > 1);
  expect(twice).toEqual([]);
});

/** Matches a function at the top of a file that the file does not export. */
const LOCAL_FUNCTION = /^(?:const (?=\w+ = (?:async )?[<(])|(?:async )?function\*? ?)(\w+)/gm;

it('no function of one file has the name of what another file exports', () => {
  const exported = new Set(
    PRODUCT_FILES.flatMap((file) => Array.from(sourceOf(file).matchAll(EXPORTED), ([, name]) => name)),
  );
  const locals = PRODUCT_FILES.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(LOCAL_FUNCTION), ([, name]) => ({ name, file })),
  );
  expect(locals.length).toBeGreaterThan(1_000);
  expect(locals.filter(({ name }) => exported.has(name))).toEqual([]);
});

it('what is exported has one name, except where hosts know it by another', () => {
  const renamed = PRODUCT_FILES.filter((file) =>
    /^export \{[^}]*\w+ as (?!default\b)\w+/m.test(sourceOf(file)),
  );
  expect(renamed).toEqual(['src/compat/host-protocols.ts']);
});

/** Matches the end of a function's parameters and the error that it is declared to return. */
const MAKES_ERROR = /\): (?:\w*Error|ApplicationFailure) =>/g;

/** Matches the declaration of a constant at the top of a file. */
const CONSTANT = /^(?:export )?const (\w+) =/gm;

it('what makes an error has a name that says so', () => {
  const makers = PRODUCT_FILES.flatMap((file) => {
    const source = sourceOf(file);
    return Array.from(source.matchAll(MAKES_ERROR), ({ index }) => {
      const before = Array.from(source.slice(0, index).matchAll(CONSTANT), ([, name = '']) => name);
      return { name: before.at(-1) ?? '', file };
    });
  });
  expect(makers.length).toBeGreaterThan(50);
  expect(makers.filter(({ name }) => !/(?:Error|Failure)$|^failureOf[A-Z]/.test(name))).toEqual([]);
});

/** The name of the files that `node` is given to run. */
const ENTRY = 'main.ts';

it('no two files have the same name, except entry points', () => {
  const files = PRODUCT_FILES.filter((file) => basename(file) !== ENTRY);
  expect(files.length).toBeGreaterThan(400);
  const twice = [...Map.groupBy(files, (file) => basename(file)).values()].filter(
    (found) => found.length > 1,
  );
  expect(twice).toEqual([]);
});

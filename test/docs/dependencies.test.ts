/** Compares docs/decisions/dependencies.md with package.json and with the files that the page names. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { pathsIn } from './citations.ts';

const page = readFileSync('docs/decisions/dependencies.md', 'utf8');

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const RUNS = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
/** The packages of the chat page; they are bundled, so that no process needs them at run time. */
const PAGE = ['react', 'react-dom', '@types/react', '@types/react-dom', 'vite', 'dompurify'];
const CHECKS = Object.keys(manifest.devDependencies).filter((name) => !PAGE.includes(name));

/** Returns the cells of a table below a heading, row by row; the first cell has the packages. */
const rowsOf = (heading: string): readonly (readonly string[])[] =>
  (page.split(`### ${heading}\n`)[1]?.split('\n### ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const packagesIn = (cell: string): readonly string[] =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

it.each([
  ['What runs', RUNS],
  ['What the page is built of', PAGE],
  ['What checks it', CHECKS],
])('%s: every package has one row, and every row its packages', (heading, packages) => {
  const told = rowsOf(heading).flatMap(([cell = '']) => packagesIn(cell));
  expect(told.toSorted()).toEqual(packages.toSorted());
});

const rows = ['What runs', 'What the page is built of', 'What checks it'].flatMap(rowsOf);

it('a row says what a package is for, what was not chosen, and when the package can go', () => {
  expect(rows.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([]);
});

/**
 * Reports whether a text names a package. The name may be written in two parts: scope and platform, or a fixed scope
 * and its last part in quotes.
 */
const isNamedIn = (name: string, text: string): boolean => {
  const [scope = '', part] = name.split('/');
  return (
    text.includes(name) || (part !== undefined && (text.includes(`${scope}/`) || text.includes(`'${part}'`)))
  );
};

it('a file that a row names for its task names a package of the row', () => {
  const strangers = rows.flatMap(([names = '', task = '']) =>
    [...pathsIn(task)]
      .filter((path) => /\.m?[jt]s$/.test(path))
      .filter((path) => {
        const text = readFileSync(path, 'utf8');
        return !packagesIn(names).some((name) => isNamedIn(name, text));
      })
      .map((path) => `${names}: ${path}`),
  );
  expect(strangers).toEqual([]);
});

it('the types to which tsconfig.json refers by path exist', () => {
  const [, paths = ''] = /"paths": \{(.*?)\}/s.exec(readFileSync('tsconfig.json', 'utf8')) ?? [];
  const files = Array.from(paths.matchAll(/"(\.\/[^"]+)"/g), ([, file = '']) => file);
  expect(files).not.toEqual([]);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

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

/** Matches an entry: its packages, their task, what was not chosen, and when they can be removed. */
const ENTRY = /^- \*\*(`.+`)\.\*\* (.+?) _Not chosen:_ (.+?) _Can be removed:_ (.+)$/;

/** Returns the four parts of each entry of the list below a heading; none of an entry that lacks one of them. */
const entriesOf = (heading: string): readonly (readonly string[])[] =>
  (page.split(`### ${heading}\n`)[1]?.split(/\n###+ /)[0] ?? '')
    .match(/^- (?:.|\n(?=  ))*/gm)
    ?.map((item) => ENTRY.exec(item.replace(/\s+/g, ' '))?.slice(1) ?? []) ?? [];

const packagesIn = (cell: string): readonly string[] =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

it.each([
  ['What runs', RUNS],
  ['What the page is built of', PAGE],
  ['What checks it', CHECKS],
])('%s: every package has one entry, and every entry its packages', (heading, packages) => {
  const told = entriesOf(heading).flatMap(([cell = '']) => packagesIn(cell));
  expect(told.toSorted()).toEqual(packages.toSorted());
});

const entries = ['What runs', 'What the page is built of', 'What checks it'].flatMap(entriesOf);

it('an entry says what a package is for, what was not chosen, and when the package can go', () => {
  expect(entries.filter((parts) => parts.length !== 4)).toEqual([]);
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

it('a file that an entry names for its task names a package of the entry', () => {
  const strangers = entries.flatMap(([names = '', task = '']) =>
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

/* Every link, path and citation leads somewhere: a page or file that has moved is found here. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FILES } from '../support/repository-files.ts';
import {
  anchorOf,
  anchorsIn,
  citationsIn,
  commentsIn,
  commitsIn,
  fileNamesIn,
  linksIn,
  pathsIn,
  placedNamesIn,
} from './citations.ts';

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' });

const names = new Set(FILES.map((path) => basename(path)));
const pages = FILES.filter((path) => path.endsWith('.md') && !/^(test|src)\//.test(path));
const sources = FILES.filter(
  (path) =>
    /^(src|workflows|activities|worker|examples|test)\/.*\.(ts|tsx|mjs|html)$/.test(path) ||
    /^(\.ci\/|Dockerfile|docker-compose\.yml|[\w.]+\.config\.ts)/.test(path),
);
/** The sources whose comments are checked; this file is left out because it cites pages that do not exist. */
const commented = sources.filter((path) => path !== 'test/docs/citations.test.ts');

const read = (path: string): string => readFileSync(path, 'utf8');
const anchorsOf = (page: string): readonly string[] => anchorsIn(read(page));

const isDeadLink = (page: string, target: string): boolean => {
  const [file = '', anchor] = target.split('#');
  const place = file === '' ? page : normalize(join(dirname(page), file));
  if (!existsSync(place)) return true;
  return anchor !== undefined && place.endsWith('.md') && !anchorsOf(place).includes(anchor);
};

/** Returns the pages and headings that a comment cites and that do not exist. Any other `a.md` is an example. */
const deadCitations = (path: string): readonly string[] =>
  citationsIn(commentsIn(read(path)))
    .filter(({ page }) => page.startsWith('docs/') || pages.includes(page) || pages.includes(`docs/${page}`))
    .filter(({ page, heading }) => {
      const place = [page, join(dirname(path), page)].find((candidate) => existsSync(candidate));
      return place === undefined || (heading !== undefined && !anchorsOf(place).includes(anchorOf(heading)));
    })
    .map(({ page, heading }) => `${path}: ${page}${heading === undefined ? '' : ` "${heading}"`}`);

const deadPaths = (text: string): readonly string[] => [
  ...pathsIn(text).filter((path) => !existsSync(path)),
  ...fileNamesIn(text).filter((name) => !names.has(name)),
];

/** Returns the names that a text looks for in a file that does not have them. */
const misplacedNames = (text: string): readonly string[] =>
  placedNamesIn(text)
    .filter(({ name, path }) => existsSync(path) && !new RegExp(`\\b${name}\\b`).test(read(path)))
    .map(({ name, path }) => `${name} of ${path}`);

/** Matches a name in backticks that can only be one of code: `likeThis` or `LIKE_THIS`. */
const CODE_NAME = /`#?([a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)`/g;
/** Matches a member in backticks: `Type.member`, also as a call. */
const MEMBER_NAME = /`([A-Z][a-z]\w*)\.(\w+)(?:\([^`]*\))?`/g;
/** These have the form of a member: the name of a tool, and methods of SDKs that have a type of the same name. */
const NO_MEMBERS: ReadonlySet<string> = new Set(['Tool.action', 'Connection.connect']);
/** Matches the declaration of an interface or class (its name and what stands before the brace) or of a type. */
const DECLARATION =
  /^(?:export )?(?:abstract )?(?:(?:interface|class) ([A-Z]\w*)([^{]*)\{(?:\}|[^]*?^\})|type ([A-Z]\w*)(?:[^;]|;(?!\n))*?;\n(?! ))/gm;

const withoutComments = (text: string): string => text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
/** The words of sources and settings outside their comments. */
const namesInCode = new Set(
  FILES.filter(
    (path) => /\.(?:ts|tsx|mjs|json|yml|html)$/.test(path) && path !== 'package-lock.json',
  ).flatMap((path) => withoutComments(read(path)).match(/\w+/g) ?? []),
);
/** A declaration of a type: the code that may have its members, and the text that names the types it is made of. */
interface Declaration {
  readonly type: string;
  readonly members: string;
  readonly bases: string;
}

/** Returns the types that a file declares. One that is made with `typeof` may have its members anywhere in the file. */
const declarationsIn = (code: string): readonly Declaration[] =>
  Array.from(code.matchAll(DECLARATION), ([text, name, bases = '', alias]) =>
    alias === undefined
      ? { type: name ?? '', members: text, bases }
      : { type: alias, members: text.includes('typeof ') ? code : text, bases: text },
  );

const declarations = Map.groupBy(
  sources.flatMap((path) => declarationsIn(withoutComments(read(path)))),
  ({ type }) => type,
);

/** Reports whether a type, or one that it is made of, has this member. `seen` are the types that were looked at. */
const hasMember = (type: string, member: string, seen = new Set<string>()): boolean => {
  if (seen.has(type)) return false;
  seen.add(type);
  return (declarations.get(type) ?? []).some(
    ({ members, bases }) =>
      new RegExp(`\\b${member}\\b`).test(members) ||
      (bases.match(/\b[A-Z]\w*/g) ?? []).some((base) => hasMember(base, member, seen)),
  );
};

/** Returns the members that a text names and that their type does not have. Foreign types are skipped. */
const unknownMembers = (text: string): readonly string[] =>
  [...text.matchAll(MEMBER_NAME)]
    .filter(
      ([, type = '', member = '']) =>
        declarations.has(type) && !NO_MEMBERS.has(`${type}.${member}`) && !hasMember(type, member),
    )
    .map(([name]) => name);

describe('comments', () => {
  it('cite pages and headings that exist', () => expect(commented.flatMap(deadCitations)).toEqual([]));

  it('name files and folders that exist', () => {
    const dead = commented.flatMap((path) =>
      deadPaths(commentsIn(read(path))).map((place) => `${path}: ${place}`),
    );
    expect(dead).toEqual([]);
  });

  it('name code that is in the file that they name', () => {
    const dead = commented.flatMap((path) =>
      misplacedNames(commentsIn(read(path))).map((place) => `${path}: ${place}`),
    );
    expect(dead).toEqual([]);
  });

  it('name functions, fields and constants that exist', () => {
    const ours = commented.filter((path) => !path.startsWith('test/') && /\.(?:ts|tsx)$/.test(path));
    expect(ours.length).toBeGreaterThan(800);
    const dead = ours.flatMap((path) =>
      [...commentsIn(read(path)).matchAll(CODE_NAME)].flatMap(([, name = '']) =>
        namesInCode.has(name) ? [] : [`${path}: ${name}`],
      ),
    );
    expect(dead).toEqual([]);
  });
});

it('comments and pages name members that their types have', () => {
  const dead = [
    ...commented.flatMap((path) => unknownMembers(commentsIn(read(path))).map((name) => `${path}: ${name}`)),
    ...pages.flatMap((path) => unknownMembers(read(path)).map((name) => `${path}: ${name}`)),
  ];
  expect(dead).toEqual([]);
  const told = '`TraceRepository.store`, `TraceRepository.insert`, `ActivityTrace.close`, `Foreign.member`';
  expect(unknownMembers(told)).toEqual(['`TraceRepository.insert`', '`ActivityTrace.close`']);
});

describe.each(pages)('%s', (path) => {
  it('links to pages and headings that exist', () => {
    expect(linksIn(read(path)).filter((target) => isDeadLink(path, target))).toEqual([]);
  });
  it('names files and folders that exist', () => expect(deadPaths(read(path))).toEqual([]));
  it('names code that is in the file that it names', () => expect(misplacedNames(read(path))).toEqual([]));

  // A changelog has the same headings in every release.
  (path === 'CHANGELOG.md' ? it.skip : it)('has no two headings to which one link would lead', () => {
    const anchors = anchorsOf(path);
    expect(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i)).toEqual([]);
  });
});

it('docs/README.md leads to every page of docs', () => {
  const asked = new Set(linksIn(read('docs/README.md')).map((target) => target.split('#')[0]));
  const here = pages.filter((path) => dirname(path) === 'docs').map((path) => basename(path));
  expect(here.filter((page) => page !== 'README.md' && !asked.has(page))).toEqual([]);
});

describe('CONTRIBUTING.md', () => {
  const commits = commitsIn(read('CONTRIBUTING.md'));
  /** A shallow clone has no history to look into. */
  const hasHistory = git('rev-parse', '--is-shallow-repository').trim() === 'false';

  it('shows a commit for everything that can be added', () => {
    const [, recipes = ''] = read('CONTRIBUTING.md').split('\n## How to add …\n');
    const examples = recipes.match(/^### /gm) ?? [];
    expect(commits).toHaveLength(examples.length);
  });

  (hasHistory ? it : it.skip).each(commits)('shows commit %s, which is part of this history', (commit) => {
    expect(() => git('merge-base', '--is-ancestor', commit, 'HEAD')).not.toThrow();
  });
});

describe('what is found in a text', () => {
  it('citations in comments, also wrapped ones', () => {
    const source = `/**
 * One thing (docs/a.md "Once
 * more").
 */
const text = 'b.md'; // as docs/b.md says
// docs/c.md "Three"
const none = 'docs/d.md';
<!-- docs/e.md -->
# docs/f.md`;
    expect(citationsIn(commentsIn(source))).toEqual([
      { page: 'docs/a.md', heading: 'Once more' },
      { page: 'docs/b.md', heading: undefined },
      { page: 'docs/c.md', heading: 'Three' },
      { page: 'docs/e.md', heading: undefined },
      { page: 'docs/f.md', heading: undefined },
    ]);
  });

  it('links of a page, and the anchors they may have', () => {
    const page =
      '# A `b`: c, d\n[one](a.md#x) [two](#y-z) [out](https://example.com)\n```sh\n[no](b.md)\n```\n## É_2';
    expect(linksIn(page)).toEqual(['a.md#x', '#y-z']);
    expect(anchorsIn(page)).toEqual(['a-b-c-d', 'é_2']);
  });

  it('paths in prose and in commands, names of files, commits', () => {
    const page =
      '`src/a/b.ts`, `src/c/*.ts`, src/c.js, x/src/d, (docs/e.md). test/f/ `g-h.ts` `Name.ts` `0123abc`\n```sh\nnode examples/i.mjs docs/k.md\n```';
    expect(pathsIn(page)).toEqual(['src/a/b.ts', 'docs/e.md', 'test/f', 'examples/i.mjs']);
    expect(fileNamesIn(page)).toEqual(['g-h.ts']);
    expect(commitsIn(page)).toEqual(['0123abc']);
  });

  it('names and the files that have them', () => {
    const text = '`LIMIT` of src/a/b.ts, `#go()` in `test/c.tsx`, `other` of the file src/d.ts';
    expect(placedNamesIn(text)).toEqual([
      { name: 'LIMIT', path: 'src/a/b.ts' },
      { name: 'go', path: 'test/c.tsx' },
    ]);
  });
});

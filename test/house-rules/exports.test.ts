/**
 * A word means one thing: a search for an exported name finds one definition, and a search for a file name finds one
 * file (CONTRIBUTING.md).
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { basename, dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { descriptionsOf } from '../support/descriptions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = '{src,activities,workflows,worker}/**/*.{ts,tsx,mjs}';
/** Each migration exports `up`, as Kysely requires. */
const MIGRATIONS = /^src\/db\/migrations\/\d/;
const EXPORTED = /^export (?:abstract )?(?:const|class|type|interface) (\w+)/gm;

it('no exported name is defined twice', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => !MIGRATIONS.test(file));
  const names = files.flatMap((file) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(EXPORTED), ([, name]) => ({ name, file })),
  );
  expect(names.length).toBeGreaterThan(1_000);
  const twice = [...Map.groupBy(names, ({ name }) => name).values()].filter((found) => found.length > 1);
  expect(twice).toEqual([]);
});

/** Matches a class or type of a file, exported or not. */
const TYPE = /^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm;

it('no two files have a class or type of the same name, not even local ones', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => !MIGRATIONS.test(file));
  const names = files.flatMap((file) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(TYPE), ([, name]) => ({ name, file })),
  );
  expect(names.length).toBeGreaterThan(1_000);
  const twice = [...Map.groupBy(names, ({ name }) => name).values()].filter((found) => found.length > 1);
  expect(twice).toEqual([]);
});

it('what is exported has one name, except where hosts know it by another', () => {
  const renamed = globSync(FOLDERS, { cwd: root }).filter((file) =>
    /^export \{[^}]*\w+ as (?!default\b)\w+/m.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(renamed).toEqual(['src/compat/host-protocols.ts']);
});

it('every exported function and constant says what it is for', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => !MIGRATIONS.test(file));
  const silent = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, index) => {
      const name = /^export (?:abstract )?(?:const|class) (\w+)/.exec(line)?.[1];
      return name === undefined || lines[index - 1]?.endsWith('*/') ? [] : [`${file}: ${name}`];
    });
  });
  expect(silent).toEqual([]);
});

/** Matches the comment of an export, and the name of the export. */
const COMMENTED_EXPORT =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:abstract )?(?:const|class|type|interface) (\w+)/g;

/** A shorter comment cannot be understood without the code behind it. */
const MIN_CHARACTERS = 35;
/** Matches the beginning of half a sentence whose other half is the name or a neighbouring comment. */
const HALF_A_SENTENCE = /^(?:As|In|Of|Over|The same (?!\w+ by\b)|To be|Also|Either)\b/;

it('the comment of an export can be understood without its neighbours', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => !MIGRATIONS.test(file));
  const told = files.flatMap((file) =>
    Array.from(
      readFileSync(join(root, file), 'utf8').matchAll(COMMENTED_EXPORT),
      ([, comment = '', name]) => {
        const text = comment.replace(/\s*\n \* ?/g, ' ').trim();
        return { name, file, text };
      },
    ),
  );
  expect(told.length).toBeGreaterThan(1_000);
  const stubs = told.filter(({ text }) => text.length < MIN_CHARACTERS || HALF_A_SENTENCE.test(text));
  expect(stubs).toEqual([]);
});

/** Matches a declaration of a file, exported or not, and the comment in front of it. */
const COMMENTED_DECLARATION =
  /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:export )?(?:abstract )?(?:const|class|type|interface) (\w+)/gm;
/**
 * Matches the beginning of a comment that does not name what it is about, such as “For the reader” or “Whether it …”.
 */
const WITHOUT_SUBJECT =
  /^(?:Also|As|By|For|From|In|Of|Over|To|With|Without)\b|^(?:How|When|Where|Whether|Which|Why) (?:it|its|they)\b/;

it('every comment in front of a declaration has a subject', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => !MIGRATIONS.test(file));
  const declared = files.flatMap((file) =>
    Array.from(
      readFileSync(join(root, file), 'utf8').matchAll(COMMENTED_DECLARATION),
      ([, comment = '', name]) => ({
        name,
        file,
        text: comment.replace(/\s*\n \* ?/g, ' ').trim(),
      }),
    ),
  );
  expect(declared.length).toBeGreaterThan(2_000);
  expect(declared.filter(({ text }) => WITHOUT_SUBJECT.test(text))).toEqual([]);
});

/** Matches an indented member of a type, class or object, and the comment in front of it. */
const MEMBER = /^ +\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n +(\S.*)$/gm;

it('every description of a field begins with what it is about, and is a whole sentence', () => {
  const texts = globSync('src/contracts/**/*.ts', { cwd: root }).flatMap((file) =>
    descriptionsOf(join(root, file)).map((text) => ({ file, text })),
  );
  expect(texts.length).toBeGreaterThan(200);
  const stumps = texts.filter(
    ({ text }) => HALF_A_SENTENCE.test(text) || /^(?:By|For|From)\b/.test(text) || !/[.…]$/.test(text),
  );
  expect(stumps).toEqual([]);
});

it('every comment in front of a member has a subject', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => !MIGRATIONS.test(file));
  const members = files.flatMap((file) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(MEMBER), ([, comment = '', member]) => ({
      member,
      file,
      text: comment.replace(/\s*\n\s*\* ?/g, ' ').trim(),
    })),
  );
  expect(members.length).toBeGreaterThan(2_000);
  expect(members.filter(({ text }) => WITHOUT_SUBJECT.test(text))).toEqual([]);
});

/**
 * These types are named after the function that takes them, which says what they are for; the columns of tables are in
 * docs/storage.md.
 */
const NAMED_AFTER = /(?:Deps|Options|Table)$/;

/** Reports whether a type is inferred from a schema, and so has the schema's comment. */
const isDescribedBySchema = (text: string, declaration: string): boolean => {
  const schema = /z\.infer<typeof (\w+)>/.exec(declaration)?.[1];
  return schema !== undefined && new RegExp(`\\*/\\n(?:export )?const ${schema}\\b`).test(text);
};

it('every exported type says what it is', () => {
  const files = globSync(FOLDERS, { cwd: root });
  const silent = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return Array.from(text.matchAll(/(?<!\*\/\n)^export (?:type|interface) (\w+)[^;{]*/gm))
      .filter(
        ([declaration, name = '']) => !NAMED_AFTER.test(name) && !isDescribedBySchema(text, declaration),
      )
      .map(([, name]) => `${file}: ${name}`);
  });
  expect(silent).toEqual([]);
});

/** Returns the rank of an import: first those of Node, then of packages, then of Orion. */
const placeOf = (from: string): number => (from.startsWith('node:') ? 0 : from.startsWith('.') ? 2 : 1);

it('imports are in order: Node’s, those of packages, ours', () => {
  const mixed = globSync(FOLDERS, { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const places = Array.from(text.matchAll(/^import [^;'"]* from '([^']+)'/gm), ([, from = '']) =>
      placeOf(from),
    );
    return places.some((place, index) => place < (places[index - 1] ?? 0));
  });
  expect(mixed).toEqual([]);
});

it('a comment has a blank before a page, and no tilde for one', () => {
  const garbled = globSync(FOLDERS, { cwd: root }).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => /^\s*(?:\/?\*|\/\/)/.test(line) && /[a-z]\(docs\/|[a-z]~[a-z]/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(garbled).toEqual([]);
});

/** The name of the files that `node` is given to run. */
const ENTRY = 'main.ts';

it('no two files have the same name, except entry points', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => basename(file) !== ENTRY);
  expect(files.length).toBeGreaterThan(400);
  const twice = [...Map.groupBy(files, (file) => basename(file)).values()].filter(
    (found) => found.length > 1,
  );
  expect(twice).toEqual([]);
});

/** The files that may contain casts: two are meant to have them, and this one searches for them. */
const CASTS = new Set([
  'test/support/untyped.ts',
  'test/support/part-of.ts',
  'test/house-rules/exports.test.ts',
]);

it('no test casts a value: doubles are typed (`partOf`), and wrong values are marked (`untyped`)', () => {
  const tests = globSync('test/**/*.ts', { cwd: root }).filter((file) => !CASTS.has(file));
  const forced = tests.filter((file) =>
    / as (?:never\b(?! )|unknown as )|\{\} as (?!Record\b)[A-Z]/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(forced).toEqual([]);
});

/** Returns the folder in which the test of a source file is looked for; `src` is left out. */
const mirrorOf = (file: string): string => join('test', dirname(file).replace(/^src\//, ''));
const roomOfTest = (folder: string): string => folder.split('/').slice(0, 2).join('/');

/** The tests of this folder drive the whole page. */
const OF_THE_PAGE = 'test/web/browser';

it('a test that has the name of a source file is in the same folder as that file', () => {
  const sources = Map.groupBy(globSync(FOLDERS, { cwd: root }), (file) =>
    basename(file).replace(/\.\w+$/, ''),
  );
  const tests = globSync('test/**/*.test.ts', { cwd: root });
  expect(tests.length).toBeGreaterThan(300);
  const elsewhere = tests.filter((test) => {
    const folders = (sources.get(basename(test, '.test.ts')) ?? []).map(mirrorOf);
    const own = folders.filter((folder) => roomOfTest(folder) === roomOfTest(test));
    return own.length > 0 && ![...own, OF_THE_PAGE].includes(dirname(test));
  });
  expect(elsewhere).toEqual([]);
});

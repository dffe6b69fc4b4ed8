/** A comment can be read without the code that follows and without its neighbours (CONTRIBUTING.md). */
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { descriptionsOf } from '../support/descriptions.ts';
import { PRODUCT_FILES, sourceOf, WITHOUT_MIGRATIONS } from '../support/repository-files.ts';
import { ROOT } from '../support/root.ts';

it('every exported function and constant says what it is for', () => {
  const silent = WITHOUT_MIGRATIONS.flatMap((file) => {
    const lines = sourceOf(file).split('\n');
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
  const told = WITHOUT_MIGRATIONS.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(COMMENTED_EXPORT), ([, comment = '', name]) => {
      const text = comment.replace(/\s*\n \* ?/g, ' ').trim();
      return { name, file, text };
    }),
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
  const declared = WITHOUT_MIGRATIONS.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(COMMENTED_DECLARATION), ([, comment = '', name]) => ({
      name,
      file,
      text: comment.replace(/\s*\n \* ?/g, ' ').trim(),
    })),
  );
  expect(declared.length).toBeGreaterThan(2_000);
  expect(declared.filter(({ text }) => WITHOUT_SUBJECT.test(text))).toEqual([]);
});

/** Matches an indented member of a type, class or object, and the comment in front of it. */
const MEMBER = /^ +\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n +(\S.*)$/gm;

it('every description of a field begins with what it is about, and is a whole sentence', () => {
  const texts = PRODUCT_FILES.filter((file) => file.startsWith('src/contracts/')).flatMap((file) =>
    descriptionsOf(join(ROOT, file)).map((text) => ({ file, text })),
  );
  expect(texts.length).toBeGreaterThan(200);
  const stumps = texts.filter(
    ({ text }) => HALF_A_SENTENCE.test(text) || /^(?:By|For|From)\b/.test(text) || !/[.…]$/.test(text),
  );
  expect(stumps).toEqual([]);
});

it('every comment in front of a member has a subject', () => {
  const members = WITHOUT_MIGRATIONS.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(MEMBER), ([, comment = '', member]) => ({
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
  const silent = PRODUCT_FILES.flatMap((file) => {
    const text = sourceOf(file);
    return Array.from(text.matchAll(/(?<!\*\/\n)^export (?:type|interface) (\w+)[^;{]*/gm))
      .filter(
        ([declaration, name = '']) => !NAMED_AFTER.test(name) && !isDescribedBySchema(text, declaration),
      )
      .map(([, name]) => `${file}: ${name}`);
  });
  expect(silent).toEqual([]);
});

it('a comment has a blank before a page, and no tilde for one', () => {
  const garbled = PRODUCT_FILES.flatMap((file) =>
    sourceOf(file)
      .split('\n')
      .filter((line) => /^\s*(?:\/?\*|\/\/)/.test(line) && /[a-z]\(docs\/|[a-z]~[a-z]/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(garbled).toEqual([]);
});

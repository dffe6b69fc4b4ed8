/**
 * In a file the main export comes first, and its helpers follow. Only a function that runs while the file is loaded
 * has to come before its use (CONTRIBUTING.md).
 */
import { expect, it } from '@jest/globals';
import { sourceOf, WITHOUT_MIGRATIONS } from '../support/repository-files.ts';

/** Matches comments, and the texts on one line that name nothing. */
const SILENT = /\/\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'/gm;
/** Matches the beginning of a declaration. All other lines are indented, or begin with a bracket. */
const DECLARED =
  /^(?<exported>export )?(?:default )?(?:abstract |async )?(?<kind>const|let|function|class|interface|type|enum) (?<name>\w+)/;
/** Matches a constant that is a function: its parameters, or a single one, come first. */
const IS_FUNCTION =
  /^(?:export )?const \w+(?:: [^=]*?(?:=>[^=]*?)?)? =\s+(?:async )?(?:<[^()]*>)?(?:\(|\w+ =>)/;

interface Declaration {
  readonly name: string;
  readonly isExported: boolean;
  /** `loaded` is what runs while the file is loaded, and `type` never runs. */
  readonly kind: 'function' | 'class' | 'type' | 'loaded';
  /** The words of its text. */
  readonly words: ReadonlySet<string>;
  readonly text: string;
}

const declarationOf = (text: string): Declaration => {
  const { exported, kind = '', name = '' } = DECLARED.exec(text)?.groups ?? {};
  const isFunction = kind === 'function' || IS_FUNCTION.test(text);
  const isType = kind === 'interface' || kind === 'type' || /^(?:import|export \{|export \*)/.test(text);
  return {
    name,
    isExported: exported !== undefined,
    kind: isFunction ? 'function' : kind === 'class' ? 'class' : isType ? 'type' : 'loaded',
    words: new Set(text.match(/[\w$]+/g)),
    text,
  };
};

const declarationsOf = (source: string): readonly Declaration[] =>
  source
    .replace(SILENT, '')
    .split(/\n(?=[a-z])/)
    .map(declarationOf);

/** Returns the names that may be used while the file is loaded, by what runs then or by what that calls. */
const loadedNames = (declarations: readonly Declaration[]): ReadonlySet<string> => {
  const loaded = new Set(
    declarations.flatMap(({ kind, text, words }) => {
      if (kind === 'loaded') return [...words];
      return kind === 'class' && /^ +static |\bextends\b/m.test(text) ? [...words] : [];
    }),
  );
  for (let size = -1; size < loaded.size;) {
    size = loaded.size;
    const reached = declarations.filter(({ name }) => loaded.has(name));
    for (const word of reached.flatMap(({ words }) => [...words])) loaded.add(word);
  }
  return loaded;
};

/** Returns the functions of a file that precede everything that uses them, although they could follow. */
const earlyHelpersIn = (source: string): readonly string[] => {
  const declarations = declarationsOf(source);
  const loaded = loadedNames(declarations);
  const users = declarations.filter(({ kind }) => kind === 'function' || kind === 'class');
  return users.flatMap((helper, index) => {
    if (helper.isExported || helper.kind !== 'function' || loaded.has(helper.name)) return [];
    const isUsed = (user: Declaration): boolean => user !== helper && user.words.has(helper.name);
    return !users.slice(0, index).some(isUsed) && users.slice(index).some(isUsed) ? [helper.name] : [];
  });
};

it('helpers follow what uses them', () => {
  // Setup scripts run before types can be stripped, and much of them while they are loaded.
  const files = WITHOUT_MIGRATIONS.filter((path) => !path.endsWith('.mjs'));
  expect(files.length).toBeGreaterThan(500);
  const early = files.flatMap((file) => earlyHelpersIn(sourceOf(file)).map((name) => `${file}: ${name}`));
  expect(early).toEqual([]);
});

it.each([
  ['a helper before the main export', 'const help = () => 1;\nexport const main = () => help();\n', ['help']],
  [
    'one with a type before it',
    'const help: Help = (a) => a;\nexport class Main {\n  a = help();\n}\n',
    ['help'],
  ],
  [
    'one over several lines',
    'const help =\n  async (a) => a;\nexport const main = () => help();\n',
    ['help'],
  ],
  [
    'a helper of the helper',
    'export const main = () => b();\nconst a = () => 1;\nconst b = () => a();\n',
    ['a'],
  ],
  ['a helper that follows', 'export const main = () => help();\nconst help = () => 1;\n', []],
  [
    'one that runs on loading',
    'const help = () => 1;\nconst A = help();\nexport const main = () => help();\n',
    [],
  ],
  [
    'one that runs on loading through another',
    'const a = () => 1;\nconst b = () => a();\nexport const B = { b };\nexport const main = () => a();\n',
    [],
  ],
  ['a constant', 'const WAIT = 1;\nexport const main = () => WAIT;\n', []],
])('finds early helpers: %s', (_what, source, early) => {
  expect(earlyHelpersIn(source)).toEqual(early);
});

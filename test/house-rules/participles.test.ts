/**
 * A function that takes time does something, so its name is a verb: no participle, no `xOf` and no `toX`. A value that
 * is used far from its declaration has a noun in its name.
 */
import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';

/** Matches a participle without another word. Verbs that look the same in the present (`read`, `put`) are missing. */
const PARTICIPLE = new RegExp(
  `^(?:(?!need|feed|embed|speed|seed|exceed)[a-z]+ed|${[
    'begun|told|sent|kept|held|taken|given|written|lost|made|known|shown|gone|done',
    'found|built|said|asked|met|spent|drawn|chosen|broken|hidden',
  ].join('|')})$`,
);
/** Matches the first word of a name whose last word is the object of this verb: `findLost`. `on` begins a listener. */
const VERB = new RegExp(
  `^(?:${[
    'begin|claim|end|execute|fill|find|insert|load|mark|put|reconcile|recover|remove|report|run|settle|spool|stat|store',
    'is|has|was|unless|until|on',
  ].join('|')})$`,
);
/** Matches what a function that takes time returns. */
const SLOW_TYPE = String.raw`(?:Promise|AsyncGenerator|AsyncIterable|AsyncIterableIterator)<`;
/** Matches the head of a function that is asynchronous or returns a promise. One of the groups is its name. */
const SLOW = [
  String.raw`const (\w+) = (?:async\b|(?:<[^>]*>)?\([^()]*\): ${SLOW_TYPE})`,
  String.raw`^ {2}(?:private |override )?async \*?#?(\w+)[(<]`,
  String.raw`^ {2,6}#?(\w+)(?:<[^>]*>)?\([^()]*\): ${SLOW_TYPE}`,
  String.raw`^ {2,6}(?:readonly )?(\w+)\??: (?:async\b|\([^()]*\)(?: =>|:) ${SLOW_TYPE})`,
].map((pattern) => new RegExp(pattern, 'gm'));

/** Reports whether a name reads like a value. In a name of two words the participle may be the first or the last. */
const readsAsValue = (name: string): boolean => {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const [first = '', last = ''] = words;
  if (/^to[A-Z]/.test(name) || /(?:^[a-z]+Of[A-Z]|Of$)/.test(name)) return true;
  if (words.length > 2) return false;
  return PARTICIPLE.test(first) || (PARTICIPLE.test(last) && !VERB.test(first));
};

const slowValues = (source: string): readonly string[] => {
  const names = SLOW.flatMap((pattern) => [...source.matchAll(pattern)]).map(([, name]) => name ?? '');
  return [...new Set(names)].filter(readsAsValue);
};

/** Matches the declaration of a local by a participle that does not say what it describes. */
const BARE_LOCAL =
  /^ +(?:const|let) (found|shown|left|kept|taken|given|sent|seen|gone|held|told|named)\b(?! = \()/;
/** Largest number of lines from the declaration of such a local to its last use. */
const NEAR_LINES = 8;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Returns the participles that are used more than `NEAR_LINES` lines after their declaration, in the same block. */
const farParticiples = (source: string): readonly string[] => {
  const lines = source.split('\n');
  return lines.flatMap((line, start) => {
    const name = BARE_LOCAL.exec(line)?.[1];
    if (name === undefined) return [];
    const rest = lines.slice(start + 1);
    const length = rest.findIndex((other) => other !== '' && indentOf(other) < indentOf(line));
    const use = new RegExp(`(?<![\\w.'\`])${name}(?![\\w'\`:])`);
    const lastUse = rest
      .slice(0, length)
      .findLastIndex((other) => use.test(other.replace(/^ *(?:\*|\/\/).*/, '')));
    return lastUse >= NEAR_LINES ? [name] : [];
  });
};

it('is a rule that the search for offenders follows', () => {
  const source = `const ended = async () => {};
const closed = (child: Child): Promise<void> => child.closed;
const escaped = (text: string): string => text;
const untilEnded = async () => {};
const storedTerminal = async (db: Database): Promise<Terminal> => load(db);
const keptText = (text: string): string => text;
const answerGiven = async () => {};
const findLost = async () => {};
const rowOf = ({ turns }: Deps, id: string): Promise<Row> => turns.find(id);
const pageOfPrompt = async () => {};
const partsOf = (text: string): string[] => [text];
const chunksOf = async function* (part: Part): AsyncGenerator<Uint8Array, void> {};
const loadMessageOfTurn = async () => {};
const toResponse = async () => {};
const toText = (row: Row): string => row.text;
interface Store {
  textOf(turnId: string): Promise<string>;
  readonly projectOf: (turnId: string) => Promise<string>;
  keyOf(path: string): string;
}
class Trace {
  async #kept(): Promise<void> {}
  said(text: string): void {}
  async toEntry<T>(land: Land<T>): Promise<T> {}
  #sortedEntries(directory: Directory): Promise<Entry[]> {}
}
const repository = {
  toolsOf: async (turnId) => [],
};`;
  expect(slowValues(source).toSorted().join(' ')).toBe(
    'answerGiven chunksOf closed ended kept pageOfPrompt projectOf rowOf sortedEntries storedTerminal textOf toEntry ' +
      'toResponse toolsOf',
  );
});

it('no function that takes time has the name of a value', () => {
  expect(PRODUCT_FILES.length).toBeGreaterThan(800);
  const found = PRODUCT_FILES.flatMap((file) => slowValues(sourceOf(file)).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});

it('the search for participles that are used far away looks at the block of each', () => {
  const block = (name: string, count: number) =>
    [
      `  const ${name} = await find();`,
      ...Array<string>(count).fill('    more();'),
      `  use(${name});`,
      '};',
    ].join('\n');
  const sources = [
    block('found', 7),
    block('left', 8),
    block('leftTokens', 9),
    `${block('kept', 1)}${block('use', 9)}`,
  ];
  expect(sources.flatMap(farParticiples)).toEqual(['left']);
});

it('no local that is used far from its declaration is a bare participle', () => {
  const found = PRODUCT_FILES.flatMap((file) =>
    farParticiples(sourceOf(file)).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

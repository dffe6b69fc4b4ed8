/**
 * A comment that says nearly the same as another one of its file is often on the wrong declaration, or was kept beside
 * the one that was to replace it.
 */
import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';

/** Matches a doc comment and the line that it describes. */
const COMMENTED = /^ *\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n *(\S.*)$/gm;
const NAME =
  /^(?:(?:export|abstract|readonly|async|const|class|type|interface|get|set|static) )*(?:\| )?['#]?(\w*)/;
/** The share of words that two comments have in common when they count as nearly equal. */
const MAX_COMMON = 0.88;
/** Shorter comments are alike because there is little to say. */
const MIN_WORDS = 5;

interface Comment {
  readonly name: string;
  readonly text: string;
  readonly words: readonly string[];
}

const commentsOf = (source: string): readonly Comment[] =>
  Array.from(source.matchAll(COMMENTED), ([, comment = '', declaration = '']) => ({
    name: NAME.exec(declaration)?.[1]?.toLowerCase() ?? '',
    text: comment.replace(/\s*\n\s*\* ?/g, ' ').trim(),
    words: comment.toLowerCase().match(/[\w’'-]+/g) ?? [],
  }));

/** Returns the words of one comment that the other does not have; a word that stands twice counts twice. */
const onlyIn = (one: Comment, other: Comment): readonly string[] => {
  const left = [...other.words];
  return one.words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
};

/** Reports whether a word begins like a part of a name: “protocols” and `PROTOCOL_NAMES`. */
const isNamed = (word: string, { name }: Comment): boolean =>
  word.length > 2 && name.includes(word.slice(0, 4));

const isCopy = (one: Comment, other: Comment): boolean => {
  if (one.name === other.name || Math.min(one.words.length, other.words.length) < MIN_WORDS) return false;
  const [first, second] = [onlyIn(one, other), onlyIn(other, one)];
  const all = one.words.length + other.words.length;
  if ((all - first.length - second.length) / all < MAX_COMMON) return false;
  return !first.some((word) => isNamed(word, one)) && !second.some((word) => isNamed(word, other));
};

const copiesIn = (source: string): readonly string[] => {
  const comments = commentsOf(source);
  return comments.flatMap((one, index) =>
    comments
      .slice(index + 1)
      .filter((other) => isCopy(one, other))
      .map((other) => `${one.name}: ${one.text} | ${other.name}: ${other.text}`),
  );
};

it('no two comments of a file are nearly equal, unless their declarations have the same name or what differs', () => {
  const copies = PRODUCT_FILES.flatMap((file) => copiesIn(sourceOf(file)).map((copy) => `${file}: ${copy}`));
  expect(copies).toEqual([]);
});

it.each([
  [
    'a paraphrase',
    'The part of the cost that repeated attempts caused, in whole millionths',
    'cost',
    'The part of the cost that later attempts caused, in whole millionths',
    'next',
    1,
  ],
  [
    'another name',
    'Names of the replies, for help and errors',
    'REPLIES',
    'Names of the modes, for help and errors',
    'MODES',
    0,
  ],
  ['the same name', 'Id of the turn in this row', 'turnId', 'Id of the turn in this row', 'turnId', 0],
])('finds copies: %s', (_what, one, name, other, otherName, count) => {
  expect(
    copiesIn(`/** ${one}. */\n${name}: string;\n/** ${other}. */\n${otherName}: string;\n`),
  ).toHaveLength(count);
});

import { expect, it } from '@jest/globals';
import { descriptionsOf } from '../support/descriptions.ts';
import { idiomsIn } from '../support/idioms.ts';
import { CODE_FILES, sourceOf, WITHOUT_MIGRATIONS } from '../support/repository-files.ts';

const COMMENT = /^\s*(?:\/\*+|\*(?=\s|$)|\/\/) ?(.*?)(?:\*\/)?$|[;,{}()] \/\/ (.*)$/;

/**
 * Returns the comments of a file, each as one line, so that an idiom that is broken over two lines is found as well.
 */
const commentsOf = (path: string): readonly string[] => {
  const comments: string[] = [];
  let follows = false;
  for (const line of sourceOf(path).split('\n')) {
    const [, whole, trailing] = COMMENT.exec(line) ?? [];
    const text = (whole ?? trailing)?.trim();
    if (text !== undefined) comments.push(follows ? `${comments.pop() ?? ''} ${text}`.trim() : text);
    follows = whole !== undefined && !line.endsWith('*/');
  }
  return comments;
};

it('comments and descriptions of fields are free of idioms that readers stumble over', () => {
  expect(CODE_FILES).toEqual(
    expect.arrayContaining(['workflows/index.ts', 'test/house-rules/comment-idioms.test.ts']),
  );
  const found = CODE_FILES.flatMap((path) =>
    [...commentsOf(path), ...descriptionsOf(path)].flatMap((comment) =>
      idiomsIn(comment).map((advice) => `${path}: ${advice}: ${comment}`),
    ),
  );
  expect(found).toEqual([]);
});

/** Returns the sentences of a comment and the items of its lists, with an `x` for each quotation. */
const sentencesOf = (comment: string): readonly string[] =>
  comment.replace(/`[^`]*`|“[^”]*”|"[^"]*"/g, 'x').split(/(?<=[.!?]) +|(?:^| )- /);

it('no sentence of a comment has more than one semicolon or colon', () => {
  // A migration never changes, and setup scripts declare their types in comments.
  const files = WITHOUT_MIGRATIONS.filter((path) => !path.endsWith('.mjs'));
  const packed = files.flatMap((path) =>
    commentsOf(path)
      .flatMap(sentencesOf)
      .filter((sentence) => (sentence.match(/[;:](?= )/g)?.length ?? 0) > 1)
      .map((sentence) => `${path}: ${sentence}`),
  );
  expect(packed).toEqual([]);
});

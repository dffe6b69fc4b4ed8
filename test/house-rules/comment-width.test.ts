import { expect, it } from '@jest/globals';
import { CODE_FILES, sourceOf } from '../support/repository-files.ts';

const MAX_WIDTH = 120;

const isComment = (line: string): boolean => /^\s*(?:\/\*|\*(?: |$)|\/\/)|[;,{}()] \/\/ /.test(line);

/** Returns the places of comments that are wider than the page, because prettier lays out only code. */
const wideComments = (path: string): readonly string[] =>
  sourceOf(path)
    .split('\n')
    .flatMap((line, i) => (line.length > MAX_WIDTH && isComment(line) ? [`${path}:${i + 1}`] : []));

it(`no comment is wider than ${MAX_WIDTH} columns`, () => {
  expect(CODE_FILES).toEqual(
    expect.arrayContaining(['workflows/index.ts', 'test/house-rules/comment-width.test.ts']),
  );
  expect(CODE_FILES.flatMap(wideComments)).toEqual([]);
});

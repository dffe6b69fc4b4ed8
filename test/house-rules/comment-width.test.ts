import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const MAX_WIDTH = 120;

const isComment = (line: string): boolean => /^\s*(?:\/\*|\*(?: |$)|\/\/)|[;,{}()] \/\/ /.test(line);

/** Returns the places of comments that are wider than the page, because prettier lays out only code. */
const wideComments = (path: string): readonly string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, i) => (line.length > MAX_WIDTH && isComment(line) ? [`${path}:${i + 1}`] : []));

it(`no comment is wider than ${MAX_WIDTH} columns`, () => {
  const listed = execFileSync('git', ['ls-files', 'src', 'workflows', 'activities', 'worker', 'test'], {
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && existsSync(path));
  expect(files).toEqual(
    expect.arrayContaining(['workflows/index.ts', 'test/house-rules/comment-width.test.ts']),
  );
  expect(files.flatMap(wideComments)).toEqual([]);
});

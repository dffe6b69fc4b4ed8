import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { descriptionsOf } from './support/descriptions.ts';
import { idiomsIn } from './support/idioms.ts';

const COMMENT = /^\s*(?:\/\*+|\*(?!\/)|\/\/) ?(.*?)(?:\*\/)?$|[;,{}()] \/\/ (.*)$/;

/**
 * Returns the comments of a file, each as one line, so that an idiom that is broken over two lines is found as well.
 */
const commentsOf = (path: string): readonly string[] => {
  const comments: string[] = [];
  let follows = false;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, whole, trailing] = COMMENT.exec(line) ?? [];
    const text = (whole ?? trailing)?.trim();
    if (text !== undefined) comments.push(follows ? `${comments.pop() ?? ''} ${text}`.trim() : text);
    follows = whole !== undefined && !line.endsWith('*/');
  }
  return comments;
};

it('comments and descriptions of fields are free of idioms that readers stumble over', () => {
  const listed = execFileSync('git', ['ls-files', 'src', 'workflows', 'activities', 'worker', 'test'], {
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && existsSync(path));
  expect(files).toEqual(expect.arrayContaining(['workflows/index.ts', 'test/comment-idioms.test.ts']));
  const found = files.flatMap((path) =>
    [...commentsOf(path), ...descriptionsOf(path)].flatMap((comment) =>
      idiomsIn(comment).map((advice) => `${path}: ${advice}: ${comment}`),
    ),
  );
  expect(found).toEqual([]);
});

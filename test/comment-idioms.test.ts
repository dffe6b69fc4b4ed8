import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Each idiom that readers stumble over, and what a comment says instead. */
const IDIOMS: readonly (readonly [idiom: RegExp, instead: string])[] = [
  [/\balone\b/i, 'only'],
  [/\bany more\b/i, 'no longer'],
  [/\ball the same\b/i, 'nevertheless'],
  [/\bof (?:before|late|later|then)\b/i, 'earlier, later, recently, or from that time'],
  [/\bbut for\b/i, 'except'],
  [/\bfor want of\b/i, 'because … is missing'],
  [/, else(?:[.:;]|$)/, 'otherwise'],
  [/^Of\b|`\w+`: of\b/, 'what it is, such as “the name of”'],
  [
    /(?:^|\b(?:at least|at most|by|first|for|only) )so (?:long|many)\b/i,
    'which number, such as “at most `count`”',
  ],
  [
    /(?:^|[.:;] )Who (?:asks|calls|has|knows|reads|sends|waits|wants)\b/,
    'a subject, such as “a caller that asks”',
  ],
  [/\b(?:by|for|of|to) who\b/i, 'a noun before “who”'],
];

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

const idiomsOf = (comment: string): readonly string[] =>
  IDIOMS.flatMap(([idiom, instead]) => {
    const found = idiom.exec(comment)?.[0];
    return found === undefined ? [] : [`“${found}”: say ${instead}`];
  });

it('comments are free of idioms that readers stumble over', () => {
  const listed = execFileSync('git', ['ls-files', 'src', 'workflows', 'activities', 'worker', 'test'], {
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && existsSync(path));
  expect(files).toEqual(expect.arrayContaining(['workflows/index.ts', 'test/comment-idioms.test.ts']));
  const found = files.flatMap((path) =>
    commentsOf(path).flatMap((comment) =>
      idiomsOf(comment).map((advice) => `${path}: ${advice}: ${comment}`),
    ),
  );
  expect(found).toEqual([]);
});

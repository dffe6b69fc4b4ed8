import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const MAX_LINES = 250;

it(`no style sheet has more than ${MAX_LINES} lines, because lint counts only those of code`, () => {
  const sheets = globSync('src/web/style/*.css');
  expect(sheets).toContain('src/web/style/base.css');
  const tooLong = sheets.filter(
    (path) => readFileSync(path, 'utf8').trimEnd().split('\n').length > MAX_LINES,
  );
  expect(tooLong).toEqual([]);
});

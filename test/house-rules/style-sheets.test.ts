import { expect, it } from '@jest/globals';
import { FILES, sourceOf } from '../support/repository-files.ts';

const MAX_LINES = 250;

it(`no style sheet has more than ${MAX_LINES} lines, because lint counts only those of code`, () => {
  const sheets = FILES.filter((path) => /^src\/.*\.css$/.test(path));
  expect(sheets).toContain('src/web/style/base.css');
  const tooLong = sheets.filter((path) => sourceOf(path).trimEnd().split('\n').length > MAX_LINES);
  expect(tooLong).toEqual([]);
});

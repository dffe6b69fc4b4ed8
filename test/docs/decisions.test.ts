/* A decision without its context, its consequence or the code that follows it can neither be judged nor revised. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { DECISION_PARTS, readDecisions } from './decisions-page.ts';

it.each(readDecisions())(
  '$file has a title, a date, a theme and every part',
  ({ title, date, theme, parts }) => {
    expect({ title, date, theme }).toEqual({
      title: expect.stringMatching(/\S/),
      date: expect.stringMatching(/\S/),
      theme: expect.stringMatching(/\S/),
    });
    expect(parts).toEqual(DECISION_PARTS);
  },
);

it('every page is in force: one that was replaced is removed', () => {
  const replaced = readDecisions().filter(({ file }) =>
    /\b(?:replaced|superseded) by \[/i.test(readFileSync(`docs/decisions/${file}`, 'utf8')),
  );
  expect(replaced).toEqual([]);
});

/** Checks that the Markdown of a model neither breaks the page nor blocks its thread. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Marked } from 'marked';
import { EMPTY_BLOCKS, PLAIN_TEXT, splitBlocks } from '../../../src/web/markdown/blocks.ts';
import { startOfTooComplexPart } from '../../../src/web/markdown/text-complexity.ts';
import { cpuAdjustedNow } from '../../support/own-time.ts';

const nested = (levels: number): string =>
  Array.from({ length: levels }, (_, level) => `${'  '.repeat(level)}- x`).join('\n');

describe('texts that run wild', () => {
  it.each([
    ['quotes in quotes', '>'.repeat(60_000)],
    ['quotes in quotes, with spaces', '> '.repeat(60_000)],
    ['lists in lists', '- '.repeat(60_000)],
    ['numbers in numbers', '1. '.repeat(60_000)],
    ['indented lists', nested(600)],
    ['emphasis', '_a'.repeat(60_000)],
    ['strong emphasis over lines', '**a \n'.repeat(60_000)],
    ['brackets', '['.repeat(150_000)],
    ['pictures', '![['.repeat(60_000)],
    ['tags', '<a '.repeat(60_000)],
    ['emphasis after code in a line', `\`\`\`a\`\`\`\n${'_a'.repeat(60_000)}`],
    ['emphasis after code with more backticks', `\`\`\`\`a\`\`\`\`\n${'_a'.repeat(60_000)}`],
    ['code', Array.from({ length: 300 }, (_, n) => '`'.repeat(n + 1)).join(' ')],
  ])('%s are read in no time, and shown as they stand', (_what, evil) => {
    const marked = new Marked();
    const before = cpuAdjustedNow();
    const { blocks } = splitBlocks(EMPTY_BLOCKS, `A paragraph.\n\n${evil}`);
    for (const block of blocks) if (block.type !== PLAIN_TEXT) marked.parser([block]);
    expect(cpuAdjustedNow() - before).toBeLessThan(10_000);
    expect(blocks[0]?.type).toBe('paragraph');
    expect(blocks.at(-1)).toEqual({ type: PLAIN_TEXT, raw: evil });
  });
});

it.each([
  ['code in a line', '```a```\n'],
  ['code in a line, with more backticks', '````a````\n'],
  ['code in a list item', '- ```js\n  x\n  ```\n\n'],
  ['a line of code that begins with a fence', '```\n``` x\n```\n'],
  ['a fence in HTML', '<div>\n```\n\n'],
  ['a fence in indented code', '    ```\n\n'],
  ['a fence in a comment', '<!--\n```\n-->\n\n'],
])('emphasis after %s is not taken for code', (_what, before) => {
  const text = `${before}${'_a'.repeat(60_000)}`;
  expect(startOfTooComplexPart(text)).toBeLessThanOrEqual(before.length);
});

it('long code, long answers and long rules are Markdown', () => {
  const code = `\`\`\`c\n${'int a_b = *c[1];\n        if (x) { y(); }\n'.repeat(5_000)}\`\`\`\n`;
  const prose = 'A sentence with **weight** and `code`.\n\n'.repeat(5_000);
  const rules = `Title\n${'='.repeat(80)}\n\n${'-'.repeat(80)}\n\n${'1'.repeat(80)}\n\n${'*'.repeat(80)}\n`;
  for (const text of [code, prose, `${code}\n${prose}`, rules]) {
    expect(startOfTooComplexPart(text)).toBe(text.length);
  }
});

it('quotes in quotes are found in lines that end with a carriage return', () => {
  const { blocks } = splitBlocks(EMPTY_BLOCKS, `a\r${'> '.repeat(60_000)}`);
  expect(blocks.map(({ type }) => type)).toEqual([PLAIN_TEXT]);
});

it('no text is lost, wherever it runs wild', () => {
  const piece = fc.constantFrom('> ', '_a', '\n', '\n\n', 'word ', '```\n', '  ', '- ');
  const many = fc.tuple(piece, fc.nat(1_200)).map(([text, times]) => text.repeat(times));
  fc.assert(
    fc.property(fc.array(many, { maxLength: 6 }), (pieces) => {
      const text = pieces.join('');
      const end = startOfTooComplexPart(text);
      expect([end >= 0, end <= text.length]).toEqual([true, true]);
      expect(startOfTooComplexPart(text.slice(0, end))).toBe(end);
    }),
    { numRuns: 200 },
  );
});

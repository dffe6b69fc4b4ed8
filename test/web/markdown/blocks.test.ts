import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { walkTokens } from 'marked';
import { EMPTY_BLOCKS, splitBlocks } from '../../../src/web/markdown/blocks.ts';

const PIECES = [
  '# A\n',
  'text ',
  'more\n',
  '\n\n',
  '- item\n',
  '  - inner\n',
  '```js\n',
  '```\n',
  '| a | b |\n',
  '| - | - |\n',
  '> quote\n',
  '    code\n',
  '---\n',
  '===\n',
  '1. one\n',
  '<b>',
  '**',
  '😀',
  '\t',
  'line\r\n',
  '\r\n\r\n',
];

it('a text that comes piece by piece has the blocks of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) => {
      let grown = EMPTY_BLOCKS;
      let text = '';
      for (const piece of pieces) grown = splitBlocks(grown, (text += piece));
      expect(grown.blocks.map(({ raw }) => raw).join('')).toBe(
        splitBlocks(EMPTY_BLOCKS, text)
          .blocks.map(({ raw }) => raw)
          .join(''),
      );
      expect(grown.blocks.map(({ type }) => type)).toEqual(
        splitBlocks(EMPTY_BLOCKS, text).blocks.map(({ type }) => type),
      );
    }),
    { numRuns: 2_000 },
  );
});

const linksIn = ({ blocks }: ReturnType<typeof splitBlocks>): string[] => {
  const found: string[] = [];
  void walkTokens([...blocks], (token) => {
    if (token.type === 'link') found.push(String(token['href']));
  });
  return found;
};

it.each([
  ['after', '[a] and [b][c]', '\n\nMore.\n\n> quoted\n\n[a]: http://a.example/long\n[c]: http://c.example\n'],
  ['before', '[a]: http://a.example/long\n[c]: http://c.example\n\nMore.\n\n> quoted\n\n', '[a] and [b][c]'],
])('links whose definitions come %s them are found while the text grows', (_, one, other) => {
  let grown = EMPTY_BLOCKS;
  const text = one + other;
  for (let end = 1; end <= text.length; end += 1) {
    grown = splitBlocks(grown, text.slice(0, end));
    expect(linksIn(grown)).toEqual(linksIn(splitBlocks(EMPTY_BLOCKS, text.slice(0, end))));
  }
  expect(linksIn(grown)).toEqual(['http://a.example/long', 'http://c.example']);
});

it.each([
  ['', '# A\n\nOne paragraph.\n\nAnother\n'],
  [' that define links', '[a]: http://a.example\n\nOne paragraph.\n\nAnother\n'],
])('settled blocks%s are the same objects afterwards: nobody draws them again', (_, text) => {
  const first = splitBlocks(EMPTY_BLOCKS, text);
  const second = splitBlocks(first, `${text}[a] one.\n\nAnd`);
  expect(second.blocks.slice(0, 2)).toEqual(first.blocks.slice(0, 2));
  expect(second.blocks[0]).toBe(first.blocks[0]);
});

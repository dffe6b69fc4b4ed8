/** Covers the text of a file that the model writes into its answer, as the chat page shows it. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lastLines, splitWrittenText } from '../../../src/web/changes/file-text.ts';
import { readContent } from '../../../src/write-session/session-text.ts';

/** The separator that a turn puts between two of its texts. */
const SEPARATOR = '\n\n';

const piece = fc.oneof(
  fc.constantFrom('DONE', 'DONE  ', '  DONE', 'DONE so far', '```md', '```', '~~~', 'a', '  a', '', 'D'),
  fc.string({ maxLength: 8 }),
  fc.constantFrom(299, 300, 301).map((length) => 'x'.repeat(length)),
);
const lineBreak = fc.constantFrom('\n', '\n', '\r\n', '\n\n');
const writtenText = fc
  .array(fc.tuple(piece, lineBreak), { maxLength: 8 })
  .chain((lines) => fc.tuple(fc.constant(lines.flat().join('')), piece))
  .map((parts) => parts.join(''));
const fencedText = fc
  .tuple(writtenText, fc.constantFrom('DONE', 'DONE\nThat is all.'))
  .map(([text, end]) => `\`\`\`md\n${text}\n\`\`\`\n${end}`);

describe('the text of a file that is written', () => {
  it.each([
    ['\n\n# A\nB\nDONE\n', '# A\nB\n', ''],
    ['# A\nDONE', '# A\n', ''],
    ['DONE', '', ''],
    ['A\nDONE\nThat is all.', 'A\n', 'That is all.'],
    ['a\nDONE\nb\nDONE\n', 'a\nDONE\nb\n', ''],
    ['A\nDONE so far', 'A\nDONE so far', ''],
    ['A\n  DONE\n', 'A\n  DONE\n', ''],
    [`A\nDONE\n${'x'.repeat(301)}`, `A\nDONE\n${'x'.repeat(301)}`, ''],
    ['```md\nA\n```\nDONE\n', 'A\n', ''],
    ['A\n  indented', 'A\n  indented', ''],
    ['', '', ''],
  ])('of %j', (said, text, remark) => expect(splitWrittenText(said)).toEqual({ text, remark }));

  it('is the text that the turn commits, whatever the model writes', () => {
    fc.assert(
      fc.property(fc.oneof(writtenText, fencedText), (said) => {
        const { text, remark } = readContent([{ text: said, end: 'ended' }]);
        expect(splitWrittenText(SEPARATOR + said)).toEqual({ text, remark });
      }),
    );
  });
});

it('a text is shown by its last lines, and its lines are counted', () => {
  expect(lastLines('a\nb\nc', 2)).toEqual({ tail: 'b\nc', lines: 3 });
  expect(lastLines('a\nb\nc\n', 2)).toEqual({ tail: 'b\nc\n', lines: 3 });
  expect(lastLines('a', 2)).toEqual({ tail: 'a', lines: 1 });
  expect(lastLines('', 2)).toEqual({ tail: '', lines: 0 });
  expect(lastLines('\nb', 2)).toEqual({ tail: '\nb', lines: 2 });
});

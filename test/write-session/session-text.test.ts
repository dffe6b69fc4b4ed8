/** Covers how the phases of a write session are joined (docs/write-sessions.md "In a turn"). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readContent, type WrittenPhase } from '../../src/write-session/session-text.ts';
import { tailToContinueFrom, stitch } from '../../src/write-session/stitching.ts';
import { separatorAfter, withoutSeparator } from '../../src/write-session/text-separator.ts';

const ended = (text: string): WrittenPhase => ({ text, end: 'ended' });
const atLength = (text: string): WrittenPhase => ({ text, end: 'length' });

const complete = (...phases: WrittenPhase[]): string | undefined => {
  const { end, text } = readContent(phases);
  return end === 'complete' ? text : undefined;
};

const file = (lines: number): string =>
  Array.from({ length: lines }, (_, i) => `Line ${i + 1} of the file: ${i * 7_919}\n`).join('');

describe('content of one phase', () => {
  it('ends before the marker, with its line break', () => {
    expect(readContent([ended('# Title\n\ntext\nDONE\nThere you are.')])).toEqual({
      end: 'complete',
      text: '# Title\n\ntext\n',
      remark: 'There you are.',
      wasInCodeFence: false,
    });
  });

  it('is open without a marker: never saved as complete by a guess', () => {
    expect(readContent([ended('text\n')])).toMatchObject({ end: 'open', text: 'text\n' });
    expect(readContent([])).toMatchObject({ end: 'open', text: '' });
  });

  it.each(['length', 'cut'] as const)(
    'is open when its end is %j, whatever its last line looks like',
    (end) => {
      expect(readContent([{ text: 'state:\nDONE\n', end }])).toMatchObject({
        end: 'open',
        text: 'state:\nDONE\n',
      });
    },
  );
});

describe('a code fence', () => {
  const inside = (text: string) => readContent([ended(`${text}\nDONE\n`)]);

  it.each([
    ['```md\n# A\n```', '# A\n'],
    ['```\na\n\nb\n```  ', 'a\n\nb\n'],
    ['~~~~ts\na\n```\nb\n~~~~', 'a\n```\nb\n'],
    ['````\n```js\na\n```\n````', '```js\na\n```\n'],
    ['```markdown\n# A\n```js\na\n```\nend\n```', '# A\n```js\na\n```\nend\n'],
    ['```ts\r\na\r\n```\r', 'a\r\n'],
    ['```md\na\n```\n\n', 'a\n'],
  ])('around the whole is left out and reported: %j', (text, content) => {
    expect(inside(text)).toMatchObject({ text: content, wasInCodeFence: true });
  });

  it.each([
    '```js\na\n```\ntext\n```js\nb\n```',
    '```\na\n```\ntext\n```\nb\n```',
    'Here it is:\n```\na\n```',
    '\n```\na\n```',
    '```\na\n```\nend',
    '```\na',
    '```',
    '`inline` and more\n```',
    'plain',
  ])('that does not wrap the whole is content: %j', (text) => {
    expect(inside(text)).toMatchObject({ text: `${text}\n`, wasInCodeFence: false });
  });
});

describe('a continuation', () => {
  const whole = `${file(120)}DONE\n`;

  it('gives the same file wherever the token limit cut it', () => {
    for (let i = 1; i < whole.length - 'DONE\n'.length; i += 1) {
      expect(complete(atLength(whole.slice(0, i)), ended(whole.slice(i)))).toBe(file(120));
    }
  });

  it('gives the same file for any number of cuts, whichever last lines each part repeats', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 60, max: whole.length - 7 }), fc.nat(40)), { maxLength: 8 }),
        (cuts) => {
          const sorted = cuts.toSorted(([a], [b]) => a - b);
          const phases: WrittenPhase[] = [];
          let from = 0;
          for (const [to, repeats] of [...sorted, [whole.length, 0] as const]) {
            phases.push(atLength(whole.slice(from, to)));
            const anchor = tailToContinueFrom(whole.slice(0, to)).split('\n');
            // The repeat is at least two lines long; the cut or empty line after the last line break does not count.
            from = repeats < 3 ? to : to - anchor.slice(-repeats).join('\n').length;
          }
          phases.push(ended(phases.pop()?.text ?? ''));
          expect(complete(...phases)).toBe(file(120));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('may be nothing but the marker, after a full last line or after half a one', () => {
    expect(complete(atLength('a\nb\n'), ended('DONE'))).toBe('a\nb\n');
    expect(complete(atLength('a\nb'), ended('DONE\n'))).toBe('a\nb\n');
    expect(complete(atLength('a\nb'), ended('\nDONE\n'))).toBe('a\nb\n');
    expect(complete(atLength('a\nDO'), ended('NE\n'))).toBe('a\n');
    expect(complete(ended('a\nb'), ended('DONE'))).toBe('a\nb\n');
  });

  it('does not make a marker out of a line that an earlier part ended with', () => {
    expect(readContent([atLength('job 1\nDONE\njob'), ended(' 2\n')])).toMatchObject({ end: 'open' });
    expect(complete(atLength('job 1\nDONE\njob'), ended(' 2\nDONE\n'))).toBe('job 1\nDONE\njob 2\n');
  });

  it('begins a new line after an answer that the model had ended', () => {
    expect(complete(ended('a\nb'), ended('c\nDONE'))).toBe('a\nb\nc\n');
  });

  it('loses the echo of the anchor, with the words before it', () => {
    const start = file(60);
    const rest = file(80).slice(start.length);
    const echo = `Sure, I go on:\n\n\`\`\`\n${tailToContinueFrom(start)}`;
    expect(stitch(start, echo + rest)).toMatchObject({ how: 'echo', text: file(80) });
    expect(stitch(file(3), `Sure:\n\n${file(4)}`)).toMatchObject({ how: 'echo', text: file(4) });
  });

  it('repeats a line that was cut in its middle', () => {
    expect(stitch('a\nfirst line\nsecond line\n', 'first line\nsecond line\nthird\n')).toMatchObject({
      how: 'overlap',
      text: 'a\nfirst line\nsecond line\nthird\n',
    });
    expect(stitch('const a = 1;\n  return fo', '  return foo(a);\n')).toMatchObject({
      how: 'overlap',
      text: 'const a = 1;\n  return foo(a);\n',
    });
  });

  it('from the very beginning is a restart: it counts once it says more than the first', () => {
    const start = file(60);
    expect(stitch(start, file(80))).toMatchObject({ how: 'restarted', text: file(80) });
    expect(stitch(start, file(20))).toMatchObject({ how: 'restarted', text: start });
    const other = file(60).replace('Line 9', 'Row 9');
    expect(stitch(start, other)).toMatchObject({ how: 'restarted', text: other });
    const again = '# A\n\nOnce.\nThen something else.\n';
    expect(stitch('# A\n\nOnce.\nThis', again)).toMatchObject({ how: 'restarted', text: again });
    expect(complete(atLength(start), ended(`${file(20)}DONE\n`))).toBe(file(20));
  });

  it('keeps repetitions that can as well be the file’s own', () => {
    const rows = '0,0,0,0,0,0,0,0\n'.repeat(100);
    expect(stitch(rows, rows).text).toBe(rows + rows);
    for (const [text, more] of [
      ['f() {\n  {\n  }\n}\n', '}\n'],
      ['a\n0,0,', '0,0\n'],
      ['<tr>\n<td>value</td>\n', '<td>value</td>\n'],
      ['a\n====', '====\n'],
    ] as const) {
      expect(stitch(text, more)).toMatchObject({ how: 'appended', text: text + more });
    }
  });
});

describe('the anchor', () => {
  it('is the last 40 lines, the cut one included', () => {
    expect(tailToContinueFrom(file(100))).toBe(file(100).slice(file(60).length));
    expect(tailToContinueFrom(`${file(100)}half a li`)).toBe(`${file(100).slice(file(61).length)}half a li`);
    expect(tailToContinueFrom('short')).toBe('short');
    expect(tailToContinueFrom('')).toBe('');
  });
});

describe('the lead between two answers', () => {
  it('is no part of the content', () => {
    const lead = separatorAfter('I begin.');
    expect(withoutSeparator(`${lead}# Title\n`, lead)).toBe('# Title\n');
    expect([separatorAfter(''), separatorAfter('a\n'), separatorAfter('a\r')]).toEqual(['', '', '']);
  });
});

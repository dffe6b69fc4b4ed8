import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createColors } from '../../src/cli/render/colors.ts';
import { LiveAnswer } from '../../src/cli/render/live-answer.ts';
import { MarkdownStream } from '../../src/cli/render/markdown-stream.ts';
import { readBlocks, renderBlock } from '../../src/cli/render/markdown.ts';
import { PrintedText } from '../../src/cli/render/printed-text.ts';
import { safeForTerminal } from '../../src/cli/render/safe-for-terminal.ts';
import { Screen } from '../../src/cli/render/screen.ts';
import { SettledAnswer } from '../../src/cli/render/settled-answer.ts';
import { rowsOf } from '../../src/cli/render/text-rows.ts';

const plain = createColors(false);
const rendered = (source: string, colors = plain): string =>
  readBlocks(source)
    .map((block) => renderBlock(block, colors))
    .filter((text) => text !== '')
    .join('\n');

describe('Markdown on a terminal', () => {
  it.each([
    ['# Title', 'Title'],
    ['some *soft* and **loud** ~~old~~ `code`', 'some soft and loud old code'],
    ['- one\n- two\n  - three', '• one\n• two\n  • three'],
    ['3. three\n4. four', '3. three\n4. four'],
    ['- [x] done\n- [ ] open', '• [x] done\n• [ ] open'],
    ['> quoted\n> twice', '│ quoted\n│ twice'],
    ['```js\nlet a = "**b**";\n```', '    let a = "**b**";'],
    ['[Orion](https://orion.example)', 'Orion (https://orion.example)'],
    ['<https://orion.example>', 'https://orion.example'],
    ['a &amp; b < c', 'a & b < c'],
    ['| a | bb |\n|---|---|\n| ccc | d |', 'a    bb\n───  ──\nccc  d'],
  ])('%j', (source, shown) => {
    expect(rendered(source)).toBe(shown);
  });

  it('colours only where colours are wanted', () => {
    expect(rendered('**loud**', createColors(true))).toBe('\u001B[1mloud\u001B[22m');
    expect(rendered('**loud**')).toBe('loud');
  });

  it('lets no control sequence of a model through', () => {
    expect(safeForTerminal('a\u001B]0;title\u0007b\tc\r\nd\re')).toBe(
      'a\uFFFD]0;title\uFFFDb\tc\r\nd\uFFFDe',
    );
  });
});

/** What a terminal of so many columns shows, of the sequences that Orion writes. */
const playTerminal = (written: string, columns: number): string => {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const lineFeed = (): void => {
    row += 1;
    column = 0;
    rows[row] ??= [];
  };
  for (const [token] of written.matchAll(/\p{Cc}\[(\d*)([AJKm])|[\s\S]/gu)) {
    const [, count, action] = /^\p{Cc}\[(\d*)([AJKm])$/u.exec(token) ?? [];
    if (action === 'A') row = Math.max(0, row - Number(count));
    else if (action === 'J') {
      rows.length = row + 1;
      rows[row]!.length = column;
    } else if (token === '\n') lineFeed();
    else if (token === '\r') column = 0;
    else if (action === undefined) {
      if (column === columns) lineFeed();
      rows[row]![column] = token;
      column += 1;
    }
  }
  return rows.map((cells) => cells.join('')).join('\n');
};

describe('Markdown while it streams', () => {
  const source =
    '# Title\n\nA paragraph with **bold** words that is longer than a row.\n\n- one\n- two\n\n```\na *b*\n\nc\n```\n\nEnd.';
  const shown =
    'Title\n\nA paragraph with bold words that is longer than a row.\n\n• one\n• two\n\n    a *b*\n\n    c\n\nEnd.';

  const streamed = (pieces: readonly string[]): string => {
    let written = '';
    const stream = new MarkdownStream({
      colors: plain,
      write: (text) => (written += text),
      size: () => ({ columns: 22, rows: 40 }),
    });
    for (const piece of pieces) stream.feed(piece);
    stream.end();
    return playTerminal(written, 22);
  };

  it('shows the same in the end, wherever the stream is cut', () => {
    const expected = playTerminal(shown, 22);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: source.length }), { maxLength: 12 }), (cuts) => {
        const points = [0, ...cuts.sort((a, b) => a - b), source.length];
        const pieces = points.slice(1).map((end, i) => source.slice(points[i], end));
        expect(streamed(pieces)).toBe(expected);
      }),
    );
  });

  it('erases nothing of the answer before it that does not end its line', () => {
    let written = '';
    const write = (text: string): string => (written += text);
    const stream = new MarkdownStream({ colors: plain, write, size: () => ({ columns: 22, rows: 40 }) });
    stream.feed('before');
    stream.end();
    stream.feed('\n\nafter **it**');
    stream.end();
    expect(playTerminal(written, 22)).toBe('before\n\nafter it');
  });

  it('counts the rows of wide, combining and tabbed text', () => {
    expect(rowsOf('abcd', 4)).toBe(1);
    expect(rowsOf('abcde', 4)).toBe(2);
    expect(rowsOf('日本語', 4)).toBe(2);
    expect(rowsOf('e\u0301e\u0301e\u0301e\u0301', 4)).toBe(1);
    expect(rowsOf('a\tb', 8)).toBe(2);
    expect(rowsOf('\n\n', 4)).toBe(3);
  });
});

describe('text that can be withdrawn', () => {
  it('is shown once when the repeated call says the same', () => {
    const printed = new PrintedText();
    const out = [printed.take('Hello '), printed.take('wor')];
    printed.withdraw(0);
    out.push(printed.take('Hel'), printed.take('lo world'), printed.take('!'));
    expect(out.map(({ text }) => text).join('')).toBe('Hello world!');
    expect(out.every(({ kind }) => kind === 'more')).toBe(true);
  });

  it('is shown again from where the call began when it says something else', () => {
    const printed = new PrintedText();
    printed.take('Kept. ');
    printed.take('One way');
    printed.withdraw(6);
    expect(printed.take('One')).toEqual({ kind: 'more', text: '' });
    expect(printed.take(' other')).toEqual({ kind: 'restart', kept: 6, text: 'One other' });
    expect(printed.withdrawn).toBe(0);
  });

  it('knows what stays on the screen though the turn took it back', () => {
    const printed = new PrintedText();
    printed.take('abc');
    printed.withdraw(1);
    expect(printed.withdrawn).toBe(2);
  });
});

const screenOf = (isTTY: boolean) => {
  const out = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY,
    columns: 80,
    rows: 24,
    write: (text: string) => (out[name] += text),
  });
  const screen = new Screen({
    stdout: output('stdout'),
    stderr: output('stderr'),
    colors: plain,
    every: () => () => undefined,
  });
  return { out, screen };
};

describe('an answer in a pipe', () => {
  it('holds what a reset can take back, and is whole and single in the end', () => {
    const { out, screen } = screenOf(false);
    const writer = new SettledAnswer(screen);
    writer.text('First. ');
    writer.settle();
    expect(out.stdout).toBe('First. ');
    writer.text('dead');
    writer.withdraw(7);
    writer.text('alive');
    expect(out.stdout).toBe('First. ');
    writer.end();
    expect(out).toEqual({ stdout: 'First. alive\n', stderr: '' });
  });

  it('is not repeated when the turn is closed from outside and tells all again', () => {
    const { out, screen } = screenOf(false);
    const writer = new SettledAnswer(screen);
    writer.text('First. ');
    writer.settle();
    writer.withdraw(0);
    writer.text('First. Second.');
    writer.end();
    expect(out.stdout).toBe('First. Second.\n');
  });

  it('shows no status and no spinner', () => {
    const { out, screen } = screenOf(false);
    screen.status('action 0');
    screen.answer('text');
    screen.say('talk');
    expect(out).toEqual({ stdout: 'text', stderr: 'talk\n' });
  });
});

describe('an answer on a terminal', () => {
  it('streams at once, and a call that says something else is marked', () => {
    const { out, screen } = screenOf(true);
    const writer = new LiveAnswer(screen);
    writer.text('One way');
    expect(out.stdout).toBe('One way');
    writer.withdraw(0);
    writer.text('Other');
    expect(out.stderr).toContain('what follows replaces the text above');
    expect(out.stdout.endsWith('Other')).toBe(true);
  });

  it('shows the text of a file as it is, not as Markdown', () => {
    const { out, screen } = screenOf(true);
    const writer = new LiveAnswer(screen);
    writer.verbatim(true);
    writer.text('# **not** a heading\n\n- x\n\nend\n');
    writer.end();
    expect(out.stdout).toBe('# **not** a heading\n\n- x\n\nend\n');
  });
});

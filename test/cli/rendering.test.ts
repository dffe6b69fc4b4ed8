import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { createColors, withColors } from '../../src/cli/render/colors.ts';
import { CursorTracker } from '../../src/cli/render/cursor-tracker.ts';
import { LiveAnswer } from '../../src/cli/render/live-answer.ts';
import { readBlocks, renderBlock } from '../../src/cli/render/markdown.ts';
import { SettledAnswer } from '../../src/cli/render/settled-answer.ts';
import { PrintedText } from '../../src/cli/render/printed-text.ts';
import { Screen } from '../../src/cli/render/screen.ts';
import { TestTerminal } from './support/test-terminal.ts';

const plain = createColors(false);
const rendered = (source: string, colors = plain): string =>
  readBlocks(source)
    .map((block) => renderBlock(block, colors, 80))
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
    const loud = rendered('**loud**', createColors(true));
    expect(withColors(loud, (text) => text)).toBe('\u001B[1mloud\u001B[22m');
    expect(rendered('**loud**')).toBe('loud');
  });

  it.each([
    ['some words that are longer than a row', 'some words that are\nlonger than a row'],
    ['- a point that is longer than a row', '• a point that is\n  longer than a row'],
    ['> a quote that is longer than a row', '│ a quote that is\n│ longer than a row'],
    ['日本語のとても長い文章です。改行が必要', '日本語のとても長い文\n章です。改行が必要'],
    ['https://orion.example/a/very/long/address', 'https://orion.example/a/very/long/address'],
  ])('%j is broken between words', (source, shown) => {
    expect(readBlocks(source).map((block) => renderBlock(block, plain, 20))).toEqual([shown]);
  });

  it('aligns the columns of wide letters', () => {
    expect(rendered('| a | b |\n|---|---|\n| 日本 | c |\n| é | 👍 |')).toBe(
      'a     b\n────  ──\n日本  c\né     👍',
    );
  });
});

describe('Markdown while it streams', () => {
  const source =
    '# Title\n\nA paragraph with **bold** words that is longer than a row.\n\n- one\n- two\n\n```\na *b*\n\nc\n```\n\nEnd.';
  const shown = [
    'Title',
    '',
    'A paragraph with bold',
    'words that is longer',
    'than a row.',
    '',
    '• one',
    '• two',
    '',
    '    a *b*',
    '',
    '    c',
    '',
    'End.',
  ];

  const cutAt = (text: string, cuts: readonly number[]): string[] => {
    const points = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
    return points.slice(1).map((end, i) => text.slice(points[i], end));
  };
  const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

  const streamed = async (pieces: readonly string[], columns = 23): Promise<string[]> => {
    const terminal = new TestTerminal(columns, 40);
    const answer = new LiveAnswer(terminal.screen());
    for (const piece of pieces) answer.write(piece);
    answer.end();
    return terminal.rows();
  };

  it('shows the same in the end, wherever the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(anyCuts, async (cuts) => {
        expect(await streamed(cutAt(source, cuts))).toEqual(shown);
      }),
    );
  });

  const words = fc.array(
    fc.oneof(
      fc.stringMatching(/^[a-z]{1,30}$/),
      fc.constantFrom('日本語', 'e\u0301te\u0301', '👍', 'naïve', '한국어', '…', '\n', '\n\n'),
    ),
    { maxLength: 60 },
  );

  it('loses no letter at 60, 80, 120 columns or any other width, resized or not', async () => {
    const widths = fc.oneof(fc.constantFrom(60, 80, 120), fc.integer({ min: 12, max: 130 }));
    const letters = (text: string): string => text.normalize().replaceAll(/\s/g, '');
    await fc.assert(
      fc.asyncProperty(words, anyCuts, widths, widths, async (said, cuts, before, after) => {
        const text = said.join(' ');
        const terminal = new TestTerminal(before, 10);
        const answer = new LiveAnswer(terminal.screen());
        const pieces = cutAt(text, cuts);
        for (const [i, piece] of pieces.entries()) {
          // The emulator itself cuts off what does not fit when the row of the cursor becomes narrower.
          if (i === Math.floor(pieces.length / 2) && (await terminal.cursor()).column < after) {
            await terminal.resize(after, 10);
          }
          answer.write(piece);
        }
        answer.end();
        expect(letters(await terminal.text())).toBe(letters(text));
      }),
      { numRuns: 50 },
    );
  });

  it('moves a word that does not fit to the next row, as it comes', async () => {
    const terminal = new TestTerminal(20, 10);
    const answer = new LiveAnswer(terminal.screen());
    for (const piece of ['This is what Ori', 'on', ' is']) answer.write(piece);
    expect(await terminal.rows()).toEqual(['This is what Orion ', 'is']);
    for (const piece of [' made of many wo', 'rkers']) answer.write(piece);
    expect(await terminal.rows()).toEqual(['This is what Orion ', 'is made of many ', 'workers']);
  });

  it('leaves lines of code to the terminal, which keeps them whole', async () => {
    const code = `    ${'let it = be; '.repeat(4)}`.trimEnd();
    expect(await streamed([`So:\n\n${code}\n\nEnd.`], 30)).toEqual([
      'So:',
      '',
      code.slice(0, 30),
      code.slice(30),
      '',
      'End.',
    ]);
  });

  it('erases nothing of the answer before it that does not end its line', async () => {
    const terminal = new TestTerminal(22, 10);
    const answer = new LiveAnswer(terminal.screen());
    answer.write('before');
    answer.settle();
    answer.write('\n\nafter **it**');
    answer.end();
    expect(await terminal.text()).toBe('before\n\nafter it');
  });

  it('continues code after a status line', async () => {
    const terminal = new TestTerminal(40, 20);
    const screen = terminal.screen();
    const answer = new LiveAnswer(screen);
    answer.write('```\nlet a;\n');
    screen.report('talk');
    answer.write('let b;\n```\n\nThe **end**.');
    answer.end();
    expect(await terminal.text()).toBe('```\nlet a;\ntalk\nlet b;\n```\n\nThe end.');
  });

  it('reads a block that has scrolled out of reach only once', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `- point ${i}`);
    const rows = await streamed([lines.map((line) => `${line}\n`).join(''), '\nThe **end**.']);
    expect(rows.at(-1)).toBe('The end.');
    expect(rows.at(-3)).toBe('- point 19999');
  });
});

describe('where the cursor is', () => {
  const text = fc
    .array(
      fc.constantFrom(
        'a',
        'word ',
        '日本',
        'e\u0301',
        '\t',
        '\n',
        '👍',
        'x'.repeat(9),
        '\u001B[1mb\u001B[22m',
      ),
    )
    .map((parts) => parts.join(''));

  it('is known exactly, whatever was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text), fc.integer({ min: 5, max: 40 }), async (parts, columns) => {
        const terminal = new TestTerminal(columns, 10);
        const track = new CursorTracker();
        for (const part of parts) {
          terminal.write(part);
          track.write(part, columns);
        }
        expect(await terminal.cursor()).toEqual(track.position);
      }),
    );
  });
});

describe('text that can be withdrawn', () => {
  it('is shown once when the repeated call says the same', () => {
    const printed = new PrintedText();
    const out = [printed.push('Hello '), printed.push('wor')];
    printed.withdraw(0);
    out.push(printed.push('Hel'), printed.push('lo world'), printed.push('!'));
    expect(out.map(({ text }) => text).join('')).toBe('Hello world!');
    expect(out.every(({ kind }) => kind === 'more')).toBe(true);
  });

  it('is shown again from where the call began when it says something else', () => {
    const printed = new PrintedText();
    printed.push('Kept. ');
    printed.push('One way');
    printed.withdraw(6);
    expect(printed.push('One')).toEqual({ kind: 'more', text: '' });
    expect(printed.push(' other')).toEqual({ kind: 'restart', keptLength: 6, text: 'One other' });
    expect(printed.withdrawnLength).toBe(0);
  });

  it('knows what stays on the screen though the turn took it back', () => {
    const printed = new PrintedText();
    printed.push('abc');
    printed.withdraw(1);
    expect(printed.withdrawnLength).toBe(2);
  });
});

const screenOf = (isTTY: boolean, sharesOneFile = false) => {
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
    sharesOneFile,
    every: () => () => undefined,
  });
  return { out, screen };
};

describe('an answer in a pipe', () => {
  it('holds back what a reset can withdraw, and is complete and printed once in the end', () => {
    const { out, screen } = screenOf(false);
    const writer = new SettledAnswer(screen);
    writer.write('First. ');
    writer.settle();
    expect(out.stdout).toBe('First. ');
    writer.write('dead');
    writer.withdraw(7);
    writer.write('alive');
    expect(out.stdout).toBe('First. ');
    writer.end();
    expect(out).toEqual({ stdout: 'First. alive\n', stderr: '' });
  });

  it('is not repeated when the turn is closed from outside and sends everything again', () => {
    const { out, screen } = screenOf(false);
    const writer = new SettledAnswer(screen);
    writer.write('First. ');
    writer.settle();
    writer.withdraw(0);
    writer.write('First. Second.');
    writer.end();
    expect(out.stdout).toBe('First. Second.\n');
  });

  it('has no empty line at its end if a message has ended its last line already', () => {
    const { out, screen } = screenOf(false, true);
    const writer = new SettledAnswer(screen);
    writer.write('First.');
    writer.settle();
    screen.report('talk');
    screen.report('more');
    writer.end();
    expect(out).toEqual({ stdout: 'First.', stderr: '\ntalk\nmore\n' });
  });

  it('shows no status and no spinner', () => {
    const { out, screen } = screenOf(false);
    screen.showStatus('action 0');
    screen.write('text');
    screen.report('talk');
    expect(out).toEqual({ stdout: 'text', stderr: 'talk\n' });
  });
});

describe('status lines on a narrow terminal', () => {
  it('are broken between words, and continue below their beginning', async () => {
    const terminal = new TestTerminal(20, 10);
    const screen = terminal.screen(createColors(true));
    screen.report('Orion at http://127.0.0.1:5000 · project demo');
    screen.reportDimmed('  /help shows what there is');
    expect(await terminal.rows()).toEqual([
      'Orion at',
      'http://127.0.0.1:500',
      '0',
      '· project demo',
      '  /help shows what',
      '  there is',
    ]);
  });

  it('break the lines of a list in the same way', async () => {
    const terminal = new TestTerminal(20, 10);
    terminal.screen().writeLine('chat-1  a title of several words');
    expect(await terminal.rows()).toEqual(['chat-1  a title of', 'several words']);
  });

  it('are one line where no terminal shows them', () => {
    const { out, screen } = screenOf(false);
    const line = 'word '.repeat(40).trim();
    screen.report(line);
    screen.writeLine(line);
    expect(out).toEqual({ stdout: `${line}\n`, stderr: `${line}\n` });
  });

  it('end at a known cell, so that the answer goes on where it was', async () => {
    const terminal = new TestTerminal(20, 10);
    const screen = terminal.screen();
    const answer = new LiveAnswer(screen);
    screen.report('a line of talk that is longer than the terminal is wide');
    answer.write('one **two');
    answer.write('** three');
    answer.end();
    expect((await terminal.rows()).at(-1)).toBe('one two three');
  });
});

describe('an answer on a terminal', () => {
  it('streams at once', async () => {
    const terminal = new TestTerminal(80, 24);
    new LiveAnswer(terminal.screen()).write('One way');
    expect(await terminal.text()).toBe('One way');
  });

  it('takes withdrawn text off the screen when the repeated call says something else', async () => {
    const terminal = new TestTerminal(20, 24);
    const answer = new LiveAnswer(terminal.screen());
    answer.write('Kept. ');
    answer.settle();
    answer.write('One way that is long enough for\n\n# some rows');
    answer.withdraw(6);
    answer.write('One **other**.');
    answer.end();
    expect(await terminal.text()).toBe('Kept. One other.');
  });

  it('takes withdrawn text off the screen when it does not come again', async () => {
    const terminal = new TestTerminal(20, 24);
    const answer = new LiveAnswer(terminal.screen());
    answer.write('Only **this** and that');
    answer.withdraw(0);
    answer.write('Only **this**');
    answer.end();
    expect(await terminal.text()).toBe('Only this');
  });

  it('leaves withdrawn text where it is when a status line follows it, and says so', async () => {
    const terminal = new TestTerminal(120, 10);
    const screen = terminal.screen();
    const answer = new LiveAnswer(screen);
    answer.write('One way');
    screen.report('talk');
    answer.write(' or so');
    answer.withdraw(0);
    answer.write('Another');
    answer.end();
    const rows = await terminal.rows();
    expect(rows.slice(0, 3)).toEqual(['One way', 'talk', ' or so']);
    expect(rows[3]).toContain('what follows replaces the text above');
    expect(rows.slice(4)).toEqual(['Another']);
  });

  it('draws nothing anew that a resize has moved', async () => {
    const terminal = new TestTerminal(60, 10);
    const answer = new LiveAnswer(terminal.screen());
    answer.write('# Above\n\nSome *words* that take more than a row of a narrow terminal, surely. ');
    await terminal.resize(30, 10);
    answer.write('And more of them.\n\n**End.**');
    answer.end();
    const shown = (await terminal.text()).replaceAll('\n', ' ');
    expect(shown.match(/Above/g)).toHaveLength(1);
    expect(shown.match(/narrow/g)).toHaveLength(1);
    expect(shown).toContain('*words*');
    expect(shown.endsWith('And more of them.  End.')).toBe(true);
  });

  it('says so where withdrawn text can no longer be reached', async () => {
    const terminal = new TestTerminal(80, 5);
    const answer = new LiveAnswer(terminal.screen());
    answer.write('- one way\n'.repeat(20));
    answer.withdraw(0);
    answer.write('Another');
    answer.end();
    const rows = await terminal.rows();
    expect(rows.join(' ')).toContain('what follows replaces the text above');
    expect(rows.at(-1)).toBe('Another');
  });

  it('shows the text of a file as it is, not as Markdown', async () => {
    const terminal = new TestTerminal(20, 24);
    const answer = new LiveAnswer(terminal.screen());
    answer.setVerbatim(true);
    answer.write('# **not** a heading, not broken\n\n- x\n\nend\n');
    answer.end();
    expect(await terminal.text()).toBe('# **not** a heading,\n not broken\n\n- x\n\nend');
  });

  it('goes on in its line when a status between its words is gone', async () => {
    const terminal = new TestTerminal(40, 5);
    const screen = terminal.screen();
    const answer = new LiveAnswer(screen);
    for (const word of ['one', ' **two', ' three**', ' four']) {
      answer.write(word);
      screen.showStatus('busy');
    }
    expect(await terminal.text()).toBe('one **two three** four\n⠋ busy');
    answer.end();
    expect(await terminal.text()).toBe('one two three four');
  });

  it('draws what is typed below it once, whatever is said between two words', async () => {
    const terminal = new TestTerminal(40, 10);
    const output = terminal.output();
    const running = new Set<() => void>();
    const every = (_ms: number, run: () => void) => {
      running.add(run);
      return () => void running.delete(run);
    };
    const screen = new Screen({ stdout: output, stderr: output, colors: plain, every });
    const answer = new LiveAnswer(screen);
    screen.setTypeAhead('half');
    answer.write('One **tw');
    screen.report('a line of talk');
    expect(running.size).toBe(1);
    screen.setTypeAhead('');
    expect(running.size).toBe(0);
    expect(await terminal.text()).not.toContain('half');
  });

  it('keeps a pinned status below what comes', async () => {
    const terminal = new TestTerminal(40, 5);
    const screen = terminal.screen();
    const answer = new LiveAnswer(screen);
    answer.write('one');
    screen.pinNotice('Cancelling …');
    answer.write(' two');
    screen.showStatus('another');
    expect(await terminal.text()).toBe('one two\n⠋ Cancelling …');
    screen.clearStatus();
    answer.end();
    expect(await terminal.text()).toBe('one two');
  });
});

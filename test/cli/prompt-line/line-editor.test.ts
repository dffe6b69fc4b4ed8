import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bufferOf, textOfBuffer } from '../../../src/cli/prompt-line/edit-buffer.ts';
import { KeyDecoder, type KeyPress } from '../../../src/cli/prompt-line/keys.ts';
import { LineEditor } from '../../../src/cli/prompt-line/line-editor.ts';
import { layOutPrompt } from '../../../src/cli/prompt-line/prompt-line-rows.ts';
import { widthOf } from '../../../src/cli/render/text-width.ts';

const chord = (name: string): KeyPress => ({ kind: 'chord', chord: name });
const text = (typed: string): KeyPress => ({ kind: 'text', text: typed });

/** Returns the decoded keys with neighbouring texts joined, because a terminal may split a text anywhere. */
const decodeKeys = (pieces: readonly string[]): KeyPress[] => {
  const decoder = new KeyDecoder();
  const keys = [...pieces.flatMap((piece) => decoder.feed(piece)), ...decoder.flush()];
  return keys.reduce<KeyPress[]>((joined, key) => {
    const last = joined.at(-1);
    if (last?.kind !== 'text' || key.kind !== 'text') return [...joined, key];
    return [...joined.slice(0, -1), text(last.text + key.text)];
  }, []);
};

const SEQUENCES: readonly (readonly [string, readonly KeyPress[]])[] = [
  ['héllo', [text('héllo')]],
  ['\r', [chord('enter')]],
  ['\n', [chord('ctrl-j')]],
  ['\t', [chord('tab')]],
  ['\u007F', [chord('backspace')]],
  ['\u0001', [chord('ctrl-a')]],
  ['\u001F', [chord('ctrl-_')]],
  ['\u001B[A', [chord('up')]],
  ['\u001BOA', [chord('up')]],
  ['\u001B[1;5D', [chord('ctrl-left')]],
  ['\u001B[1;3C', [chord('alt-right')]],
  ['\u001B\u001B[D', [chord('alt-left')]],
  ['\u001B[3~', [chord('delete')]],
  ['\u001B[H', [chord('home')]],
  ['\u001B[4~', [chord('end')]],
  ['\u001B[Z', [chord('shift-tab')]],
  ['\u001Bb', [chord('alt-b')]],
  ['\u001B\u007F', [chord('alt-backspace')]],
  ['\u001B\r', [chord('alt-enter')]],
  ['\u001B[13;2u', [chord('shift-enter')]],
  ['\u001B[27;2;13~', [chord('shift-enter')]],
  ['\u001B[99;5u', [chord('ctrl-c')]],
  ['\u001B[1089::99;5u', [chord('ctrl-c')]],
  ['\u001B[97;65u', [text('a')]],
  ['\u001B[109;5u', [chord('enter')]],
  ['\u001B[44:60;4u', [chord('alt-<')]],
  ['\u001B[57414u', [chord('enter')]],
  ['\u001B[57358u', []],
  [
    '\u001B[200~one\rtwo\r\nthree\n\u0003\u001B[A\u001B[201~',
    [{ kind: 'paste', text: 'one\ntwo\nthree\n\u0003\u001B[A' }],
  ],
  ['\u001B[I', []],
  ['\u001B[?1;2c', []],
];

describe('what a terminal sends', () => {
  it.each(SEQUENCES)('%j', (sent, keys) => {
    expect(decodeKeys([sent])).toEqual(keys);
  });

  it('is the same keys wherever it is cut', () => {
    const sequences = fc.array(fc.constantFrom(...SEQUENCES), { maxLength: 8 });
    fc.assert(
      fc.property(sequences, fc.array(fc.nat()), (parts, cuts) => {
        const sent = parts.map(([sequence]) => sequence).join('');
        const points = [0, ...cuts.map((cut) => cut % (sent.length + 1)).sort((a, b) => a - b), sent.length];
        const pieces = points.slice(1).map((end, i) => sent.slice(points[i], end));
        expect(decodeKeys(pieces)).toEqual(decodeKeys([sent]));
      }),
    );
  });

  it('never leaves the decoder waiting for more than a key is long', () => {
    const bytes = fc.string({ unit: fc.constantFrom('\u001B', '[', ';', '1', '~', 'O', 'a', '\u0003', 'é') });
    fc.assert(
      fc.property(bytes, (sent) => {
        const decoder = new KeyDecoder();
        decoder.feed(sent);
        decoder.flush();
        // Only a bracketed paste may go on for ever.
        fc.pre(!sent.includes('[200~'));
        expect(decoder.feed('x').at(-1)).toEqual(text('x'));
      }),
    );
  });

  it('takes a sequence with any numbers, also those of no character', () => {
    const number = fc.oneof(
      fc.constantFrom('', '1', '5', '97', '55296', '57400', '1<'),
      fc.nat().map(String),
    );
    const field = fc.array(number, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(':'));
    const parameters = fc.array(field, { minLength: 1, maxLength: 3 }).map((fields) => fields.join(';'));
    fc.assert(
      fc.property(parameters, fc.constantFrom('u', '~', 'A'), (sent, final) => {
        expect(decodeKeys([`\u001B[${sent}${final}`, 'b']).at(-1)).toMatchObject({
          text: expect.stringMatching(/b$/),
        });
      }),
    );
    expect(decodeKeys(['\u001B[97::99999999;5u'])).toEqual([chord('ctrl-a')]);
  });

  it('tells the Escape key from the beginning of another', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed('\u001B')).toEqual([]);
    expect(decoder.isUndecided).toBe(true);
    expect(decoder.flush()).toEqual([chord('escape')]);
    expect(decoder.isUndecided).toBe(false);
  });

  it('takes a paste of megabytes in pieces without reading it again for each', () => {
    const decoder = new KeyDecoder();
    decoder.feed('\u001B[200~');
    const piece = 'x'.repeat(1_000);
    for (let i = 0; i < 20_000; i += 1) expect(decoder.feed(piece)).toEqual([]);
    expect(decoder.feed('\u001B[201~')).toEqual([{ kind: 'paste', text: 'x'.repeat(20_000_000) }]);
  });
});

const editorOf = (history: readonly string[] = []): LineEditor =>
  new LineEditor({
    history,
    complete: (before) => ({
      replaces: before,
      candidates: ['/mode plan', '/mode act', '/new'].filter(
        (name) => before !== '' && name.startsWith(before),
      ),
    }),
  });

/** Returns the text after some keys, with the cursor as `|`. */
const textAfter = (editor: LineEditor, ...keys: readonly string[]): string => {
  for (const key of keys) editor.press(key.startsWith('"') ? text(key.slice(1)) : chord(key));
  const { atoms, cursor } = editor.view.buffer;
  return `${textOfBuffer({ atoms: atoms.slice(0, cursor), cursor })}|${textOfBuffer({ atoms: atoms.slice(cursor), cursor })}`;
};

describe('keys of Emacs', () => {
  it.each([
    [['"one two', 'ctrl-a', '"x'], 'x|one two'],
    [['"one two', 'ctrl-a', 'ctrl-f', 'ctrl-e', 'ctrl-b'], 'one tw|o'],
    [['"one two', 'alt-b', '"x'], 'one x|two'],
    [['"one two', 'ctrl-a', 'alt-f'], 'one| two'],
    [['"one two', 'ctrl-w', 'ctrl-w', 'ctrl-y'], 'one |'],
    [['"one, two', 'alt-backspace', 'alt-backspace'], '|'],
    [['"one two', 'ctrl-a', 'ctrl-k', 'ctrl-y', 'ctrl-y'], 'one twoone two|'],
    [['"one', 'ctrl-j', '"two', 'ctrl-u'], 'one\n|'],
    [['"one', 'ctrl-j', '"two', 'up', 'ctrl-k'], 'one|two'],
    [['"abc', 'ctrl-t'], 'acb|'],
    [['"abc', 'left', 'left', 'ctrl-d'], 'a|c'],
    [['"long line', 'ctrl-j', '"x', 'up', 'down'], 'long line\nx|'],
    [['"long line', 'ctrl-j', '"x', 'ctrl-j', '"other line', 'up', 'up'], 'l|ong line\nx\nother line'],
    [['"e', '"\u0301', 'backspace'], '|'],
    [['"👩‍👩‍👧', 'left', 'delete'], '|'],
    [['"a\\', 'enter', '"b'], 'a\nb|'],
    [['ctrl-q', 'escape', 'alt-z', 'shift-tab'], '|'],
  ])('%j', (keys, shown) => {
    expect(textAfter(editorOf(), ...keys)).toBe(shown);
  });
});

describe('a line editor', () => {
  it('walks through history and back to what was being typed', () => {
    const editor = editorOf(['newer', 'older']);
    expect(textAfter(editor, '"typed', 'up')).toBe('newer|');
    expect(textAfter(editor, 'up', 'up')).toBe('older|');
    expect(textAfter(editor, 'down', 'down')).toBe('typed|');
  });

  it('looks for what was sent, and can give it up', () => {
    const editor = editorOf(['make tests', 'run it', 'make lint']);
    textAfter(editor, '"before', 'ctrl-r', '"make');
    expect(editor.view.prompt).toBe('(match for "make") ');
    expect(textAfter(editor, 'ctrl-r')).toBe('|make lint');
    expect(textAfter(editor, '"zzz')).toBe('before|');
    expect(editor.view.prompt).toBe('(no match for "makezzz") ');
    expect(textAfter(editor, 'ctrl-g')).toBe('before|');
    expect(textAfter(editor, 'ctrl-r', '"run', 'ctrl-e', '"!')).toBe('run it!|');
  });

  it('places the cursor where the match is, also after letters whose lower case is longer', () => {
    expect(textAfter(editorOf(['İİ Köln und mehr']), 'ctrl-r', '"kÖLN')).toBe('İİ |Köln und mehr');
  });

  it('completes as far as all candidates agree, and lists them', () => {
    const editor = editorOf();
    expect(textAfter(editor, '"/mo', 'tab')).toBe('/mode |');
    expect(editor.view.hints).toEqual(['/mode plan', '/mode act']);
    expect(textAfter(editor, '"a', 'tab')).toBe('/mode act |');
    expect(editor.view.hints).toEqual([]);
  });

  it('sends what was typed and pasted, in full', () => {
    const long = 'line\n'.repeat(200);
    const pieces = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.string({ unit: 'grapheme', minLength: 1 }) }),
      fc.record({
        kind: fc.constant('paste' as const),
        text: fc.constantFrom('a\nb', long, 'x'.repeat(2_000)),
      }),
    );
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1 }), (keys) => {
        const editor = editorOf();
        for (const key of keys) editor.press(key);
        const all = keys.map((key) => key.text).join('');
        fc.pre(!all.endsWith('\\'));
        expect(editor.press(chord('enter'))).toMatchObject({ kind: 'sent', text: all });
        expect(editor.view.buffer.atoms).toEqual([]);
      }),
    );
  });

  it('keeps its cursor in the text, whatever is pressed', () => {
    const names =
      'left right up down home end enter tab escape backspace delete ctrl-k ctrl-u ctrl-w ctrl-y ctrl-t ctrl-r ctrl-c ctrl-d alt-b alt-f alt-d';
    const keys = fc.oneof(
      fc.constantFrom(...names.split(' ')).map(chord),
      fc.constantFrom('a', ' ', '\n', '日', '\u0301').map(text),
    );
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 60 }), (pressed) => {
        const editor = editorOf(['one', 'two\nlines']);
        for (const key of pressed) editor.press(key);
        const { atoms, cursor } = editor.view.buffer;
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual(atoms.length);
      }),
    );
  });
});

describe('the rows of a prompt', () => {
  const typedTexts = fc
    .array(fc.constantFrom('word', ' ', '日本', '👍', 'e\u0301', '\n', '\t', '\u001B', 'x'.repeat(30)))
    .map((parts) => parts.join(''));

  it('end before the edge, hold all that is typed, and have the cursor in them', () => {
    fc.assert(
      fc.property(typedTexts, fc.nat(), fc.integer({ min: 12, max: 60 }), (typed, at, columns) => {
        const whole = bufferOf(typed);
        const buffer = { ...whole, cursor: at % (whole.atoms.length + 1) };
        const { rows, cursor } = layOutPrompt({ prompt: '> ', buffer, hints: [] }, { columns, rows: 1_000 });
        for (const row of rows) expect(widthOf(row)).toBeLessThan(columns);
        const shown = typed.replaceAll('\t', '    ').replaceAll('\u001B', '\\u001b');
        expect(rows.map((row) => row.slice(2)).join('')).toBe(shown.replaceAll('\n', ''));
        expect(cursor.row).toBeLessThan(rows.length);
        expect(cursor.column).toBeLessThan(columns);
      }),
    );
  });

  it('show the part around the cursor when the text is taller than the terminal', () => {
    const whole = bufferOf(Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n'));
    const size = { columns: 40, rows: 10 };
    const end = layOutPrompt({ prompt: '> ', buffer: whole, hints: [] }, size);
    expect(end.rows).toHaveLength(9);
    expect(end.rows.at(-1)).toBe('  line 49');
    expect(end.cursor).toEqual({ row: 8, column: 9 });
    const start = layOutPrompt({ prompt: '> ', buffer: { ...whole, cursor: 0 }, hints: [] }, size);
    expect(start.rows[0]).toBe('> line 0');
    expect(start.cursor).toEqual({ row: 0, column: 2 });
  });
});

/** Covers where edits apply, what they leave as it is, and what their errors say. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyEdits, type FileEdit } from '../../../src/tools/edit/apply-edits.ts';
import { problemText } from '../../../src/tools/edit/edit-problem.ts';

const edit = (old: string, fresh: string, expectPlaces = 1): FileEdit => ({
  old,
  new: fresh,
  expect: expectPlaces,
});

const outcome = async (content: string | Buffer, ...edits: FileEdit[]): Promise<string> => {
  const applied = await applyEdits(Buffer.from(content), edits);
  return applied.ok
    ? applied.after.toString('latin1')
    : `! ${applied.problems.map((problem) => problemText(problem, 'f')).join('; ')}`;
};
/** Returns the UTF-8 bytes as a text with one character for each. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

describe('edits', () => {
  it.each<[what: string, content: string, edits: FileEdit[], after: string]>([
    ['one place', 'a b c', [edit('b', 'x')], 'a x c'],
    ['several, in any order', 'a b c', [edit('c', '3'), edit('a', '')], ' b 3'],
    ['places that touch', 'abcd', [edit('ab', '1'), edit('cd', '2')], '12'],
    ['as many as expected', 'a-a-a', [edit('a', 'bb', 3)], 'bb-bb-bb'],
    ['what another one puts in is not looked at', 'a b', [edit('a', 'b'), edit('b', 'a')], 'b a'],
    ['other letters', 'größe = „x“', [edit('„x“', '"x"')], bytes('größe = "x"')],
    ['LF means CR LF where all lines have it', 'a\r\nb\r\nc\r\n', [edit('a\nb', '1\n2')], '1\r\n2\r\nc\r\n'],
    ['CR LF of a call is one there, too', 'a\r\nb\r\n', [edit('a\r\nb', '1\r\n2\n')], '1\r\n2\r\n\r\n'],
    ['bytes count where lines are mixed', 'a\r\nb\nc\n', [edit('b\nc', '1\n2')], 'a\r\n1\n2\n'],
    ['a byte order mark stays', '\uFEFFa b', [edit('\uFEFFa', 'x')], bytes('\uFEFFx b')],
    ['a final line break stays', 'a\nb\n', [edit('\nb\n', '')], 'a\n'],
    ['in its own form', 'a\r\nb\r\n', [edit('b\n', 'c')], 'a\r\nc\r\n'],
    ['none is added', 'a\nb', [edit('b', 'c')], 'a\nc'],
    ['all of a file may go', 'a\n', [edit('a\n', '')], ''],
    ['white space is text', '\tif x:\n', [edit('\tif x', '    if x')], '    if x:\n'],
  ])('%s', async (_what, content, edits, after) => {
    expect(await outcome(content, ...edits)).toBe(after);
  });

  it.each<[content: string, edits: FileEdit[], text: string]>([
    ['a b', [edit('x', 'y')], '! edits.0.old: expected 1 place in f, received none: copy the text exactly'],
    ['a\nb\na', [edit('a', 'y')], '! edits.0.old: expected 1 place in f, received 2 (lines 1, 3): take in'],
    ['a', [edit('a', 'y', 3)], '! edits.0.old: expected 3 places in f, received 1 (line 1): '],
    ['x\n'.repeat(12), [edit('x', 'y')], 'received 12 (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)'],
    ['aaa', [edit('aa', 'y')], 'received 2 (lines 1, 1)'],
    [
      'aaa',
      [edit('aa', 'y', 2)],
      '! edits.0.old: expected matches that do not overlap, received two that overlap at line 1',
    ],
    [
      '\nabc',
      [edit('ab', 'y'), edit('bc', 'z')],
      '! edits.1.old: expected matches that overlap no other edit, received one that overlaps edits.0 at line 2 of f',
    ],
    ['one\ntwo', [edit('1\tone\n2\ttwo', 'y')], 'received a number and a tab in front of every line'],
    ['a\r\nb\r\n', [edit('a\nb', 'a\r\nb')], '! edits: expected a change, received what f holds already'],
    ['a “b”', [edit('a "b"', 'y')], 'received none'],
    ['a\tb', [edit('a b', 'y')], 'received none'],
    ['a', [edit('b', 'y'), edit('c', 'z')], 'edits.1.old: expected 1 place in f, received none'],
  ])('%j %j are refused: %s', async (content, edits, text) => {
    expect(await outcome(content, ...edits)).toContain(text);
  });

  it('numbers and tabs that the file has are text like any other', async () => {
    expect(await outcome('1\tone\n2\ttwo\n', edit('2\ttwo', '2\tdos'))).toBe('1\tone\n2\tdos\n');
  });

  it('bytes that are no UTF-8 stay as they are', async () => {
    const content = Buffer.from([0xe4, 0x3d, 0x31, 0x0a, 0xff]);
    expect(await outcome(content, edit('=1', '=2'))).toBe('\xe4=2\n\xff');
  });
});

const letters = fc.array(fc.constantFrom('a', 'b', 'ä', '\n', ' '), { minLength: 1, maxLength: 40 });

describe('any edit of any content', () => {
  it('finds the same places as a look at every offset', async () => {
    await fc.assert(
      fc.asyncProperty(letters, fc.nat(), fc.integer({ min: 1, max: 4 }), async (content, at, size) => {
        const text = content.join('');
        const from = at % content.length;
        const old = content.slice(from, from + size).join('');
        const places = [...text].length === 0 ? [] : offsetsOf(text, old);
        const apart = places.every((place, i) => i === 0 || place >= (places[i - 1] ?? 0) + old.length);
        const applied = await applyEdits(Buffer.from(text), [edit(old, `<${old}>`, places.length)]);
        expect(applied.ok).toBe(apart);
        if (!applied.ok) return;
        const after = applied.after.toString();
        expect(after.split(`<${old}>`)).toHaveLength(places.length + 1);
        expect(after.replaceAll(`<${old}>`, old)).toBe(endingAs(text, after, old));
        const tooMany = await applyEdits(Buffer.from(text), [edit(old, 'x', places.length + 1)]);
        expect(tooMany).toMatchObject({ ok: false, problems: [{ found: places.length }] });
      }),
      { numRuns: 500 },
    );
  });

  it('changes no byte outside its places, and is undone by its reverse', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 30 }),
        fc.uint8Array({ maxLength: 30 }),
        async (head, tail) => {
          const clean = (list: Uint8Array) =>
            Buffer.from(list.filter((byte) => byte !== 0x7e && byte !== 0x0a));
          const content = Buffer.concat([clean(head), Buffer.from('~old~'), clean(tail)]);
          const applied = await applyEdits(content, [edit('~old~', '~brand new~')]);
          if (!applied.ok) throw new Error('expected to be applied');
          expect(applied.after).toEqual(
            Buffer.concat([clean(head), Buffer.from('~brand new~'), clean(tail)]),
          );
          const back = await applyEdits(applied.after, [edit('~brand new~', '~old~')]);
          expect(back).toMatchObject({ ok: true, after: content });
        },
      ),
    );
  });
});

const offsetsOf = (text: string, piece: string): number[] =>
  Array.from({ length: text.length }, (_, i) => i).filter((i) => text.startsWith(piece, i));

/** Returns what is left once the marks are taken away: the text, with the line break that a mark at its end brings. */
const endingAs = (text: string, after: string, old: string): string =>
  text.endsWith('\n') && after.endsWith('>\n') && text.endsWith(old) ? `${text}\n` : text;

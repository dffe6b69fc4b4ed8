/** Covers the parts of a command's output that are kept and shown, at the border between its beginning and its end. */
import { expect, it } from '@jest/globals';
import { CapturedOutput } from '../../../src/tools/command/captured-output.ts';

const KEPT_BYTES = 120 * 1024;

const capture = (...pieces: readonly string[]): CapturedOutput => {
  const captured = new CapturedOutput();
  for (const piece of pieces) captured.add(Buffer.from(piece));
  return captured;
};

it.each([
  ['a character of several bytes', '😀', '😀'],
  ['a line break of two characters', '\r\n', '\n'],
  ['a colour', '\u001b[31m', ''],
])('an output that is kept whole loses nothing where its end begins: %s', (_what, text, shown) => {
  for (let inside = 1; inside < Buffer.byteLength(text); inside += 1) {
    const before = 'a'.repeat(KEPT_BYTES - inside);
    expect(capture(`${before}${text}end`).kept === `${before}${shown}end`).toBe(true);
  }
});

it('the end that the model is shown is as long however little of the output is kept as its end', () => {
  const { shown } = capture('a'.repeat(KEPT_BYTES), 'end');
  const [, count, last = ''] = /^a+\n… (\d+) bytes left out …\n(a+end)$/.exec(shown) ?? [];
  expect(last.length).toBe(18 * 1024);
  expect(Number(count)).toBe(KEPT_BYTES + 3 - 28 * 1024);
});

it('an output of which bytes are left out says how many, and begins and ends with whole characters', () => {
  const { kept } = capture(`a${'😀'.repeat(KEPT_BYTES)}`);
  expect(kept).toMatch(/^a(😀)+\n… \d+ bytes left out …\n(😀)+$/u);
});

it('an output of bytes that are not text says that a part of it is missing', () => {
  const captured = new CapturedOutput();
  captured.add(Buffer.alloc(20 * 1024, 0xff));
  expect(captured.shown).toMatch(/\n… \d+ bytes left out …\n/);
});

/** Covers how the deltas of providers are merged (docs/protocol.md "Complete call"). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CallDelta, ToolCallAssembler } from '../../../src/protocol/stream/tool-call-assembler.ts';
import { parseArguments } from '../../../src/protocol/stream/tool-arguments.ts';

const assemble = (...deltas: CallDelta[]): ToolCallAssembler => {
  const assembler = new ToolCallAssembler();
  for (const delta of deltas) assembler.add(delta);
  return assembler;
};

const merged = (...deltas: CallDelta[]): [string, string][] =>
  assemble(...deltas)
    .calls()
    .map(({ function: { name, arguments: text } }) => [name, text]);

const splitAt = (text: string, cuts: readonly number[]): string[] => {
  const sorted = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, i) => text.slice(from, sorted[i] ?? text.length));
};

describe('merging deltas into calls', () => {
  it('appends equal fragments exactly', () => {
    expect(
      merged({ index: 0, name: 'a' }, ...'111'.split('').map((x) => ({ index: 0, arguments: x }))),
    ).toEqual([['a', '111']]);
  });

  it('replaces instead of appending when a provider resends everything so far', () => {
    const sent = ['{"a"', '{"a":"b', '{"a":"bc"', '{"a":"bc"', '{"a":"bc"}'];
    expect(merged(...sent.map((text) => ({ index: 0, name: 'a', arguments: text })))).toEqual([
      ['a', '{"a":"bc"}'],
    ]);
  });

  it('appends a fragment that begins with the one before only once', () => {
    const parts = ['1', '12', '3'].map((text) => ({ index: 0, arguments: text }));
    expect(merged({ index: 0, name: 'a' }, ...parts)).toEqual([['a', '1123']]);
  });

  it.each([1, 2, 3])(
    'takes an object that came once and %i times more for one, wherever it is cut',
    (times) => {
      const object = '{"a": [1, {"b": "}\\"{"}]}';
      const seen = new Set<string>();
      for (const gap of ['', '\n', ' ']) {
        const stream = object + `${gap}${object}`.repeat(times);
        for (let i = 0; i <= stream.length; i += 1) {
          for (let j = i; j <= stream.length; j += 1) {
            const parts = [stream.slice(0, i), stream.slice(i, j), stream.slice(j)];
            const assembler = assemble(...parts.map((part) => ({ id: 'i', name: 'a', arguments: part })));
            assembler.close();
            seen.add(
              JSON.stringify([assembler.calls()[0]?.function.arguments, assembler.mayFirstBeFinished]),
            );
          }
        }
      }
      // All are compared by one call of `expect`: thousands of calls take longer than all the cutting and joining.
      expect([...seen]).toEqual([JSON.stringify([object, true])]);
    },
  );

  it.each([
    ['another object', '{"a":1}', '{"a":2}'],
    ['half of itself', '{"a":1}', '{"a"'],
    ['itself and more', '{"a":1}', '{"a":1}x'],
    ['what is no object', '[1]', '[1]'],
    ['what is no JSON', '{a:1}', '{a:1}'],
  ])('leaves an object that is followed by %s malformed', (_what, first, second) => {
    const assembler = assemble({ index: 0, name: 'a', arguments: first }, { index: 0, arguments: second });
    assembler.close();
    const text = assembler.calls()[0]?.function.arguments ?? '';
    expect(parseArguments(text)).toBeUndefined();
    expect(assembler.mayFirstBeFinished).toBe(false);
  });

  it('agrees with JSON.parse on every text, at every character of it', () => {
    const texts = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', 'a', '":1', ',', ' ', '\n', '{"a":1}'),
      {
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        const assembler = assemble({ index: 0, name: 'a' });
        for (const [i, char] of [...text].entries()) {
          assembler.add({ index: 0, arguments: char });
          const seen = text.slice(0, i + 1);
          const shown = assembler.calls()[0]?.function.arguments ?? '';
          expect(seen.startsWith(shown)).toBe(true);
          expect(assembler.mayFirstBeFinished).toBe(
            shown.trim() !== '' && parseArguments(shown) !== undefined,
          );
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('joins a JSON object to the same text wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
        fc.constantFrom(undefined, 1, 2),
        fc.array(fc.nat(500)),
        (args, indent, cuts) => {
          const text = JSON.stringify(args, null, indent);
          const safe = text.replaceAll('\0', '');
          fc.pre(safe.isWellFormed());
          const deltas = splitAt(safe, cuts).map((part) => ({ index: 0, arguments: part }));
          expect(merged({ index: 0, name: 'a' }, ...deltas)).toEqual([['a', safe]]);
        },
      ),
    );
  });

  it('keeps interleaved calls apart by index, by id, and by a new id under a reused index', () => {
    const expected = [
      ['a', '{"x":1}'],
      ['b', '{"y":2}'],
    ];
    const parts = (first: CallDelta, second: CallDelta): [string, string][] =>
      merged(
        { ...first, name: 'a' },
        { ...second, name: 'b' },
        { ...first, arguments: '{"x"' },
        { ...second, arguments: '{"y"' },
        { ...first, arguments: ':1}' },
        { ...second, arguments: ':2}' },
      );
    expect(parts({ index: 0 }, { index: 1 })).toEqual(expected);
    expect(parts({ id: 'i' }, { id: 'j' })).toEqual(expected);
    expect(parts({ index: 0, id: 'i' }, { index: 0, id: 'j' })).toEqual(expected);
  });

  it('appends a delta without index and id to the latest call, and opens one for the next whole call', () => {
    expect(
      merged({ name: 'a' }, { arguments: '{"x":' }, { arguments: '1}' }, { name: 'b', arguments: '{}' }),
    ).toEqual([
      ['a', '{"x":1}'],
      ['b', '{}'],
    ]);
  });

  it('takes a name whole, in fragments, and again with every delta', () => {
    expect(merged({ index: 0, name: 'read_' }, { index: 0, name: 'file' })).toEqual([['read_file', '']]);
    expect(merged({ index: 0, name: 'read_file' }, { index: 0, name: 'read_file' })).toEqual([
      ['read_file', ''],
    ]);
  });

  it('names a call without id by its position', () => {
    const calls = assemble({ index: 0, name: 'a' }, { index: 1, name: 'b', id: 'x' }).calls();
    expect(calls.map(({ id }) => id)).toEqual(['call_0', 'x']);
  });
});

describe('what may be stored', () => {
  it('cuts a name that is too long, and leaves out an id that is', () => {
    const [call] = assemble({ index: 0, id: 'i'.repeat(300), name: 'n'.repeat(300) }).calls();
    expect(call?.id).toBe('call_0');
    expect(call?.function.name).toHaveLength(256);
  });

  it('joins a character whose halves came in two fragments', () => {
    const [high = '', low = ''] = '😀'.split('');
    expect(
      merged({ index: 0, name: 'a', arguments: `{"x":"${high}` }, { index: 0, arguments: `${low}"}` }),
    ).toEqual([['a', '{"x":"😀"}']]);
  });

  it('does not repair JSON by making a NUL harmless', () => {
    const [call] = assemble({ index: 0, name: 'a', arguments: '{"x":"\0"}' }).calls();
    expect(call?.function.arguments).not.toContain('\0');
    expect(() => void JSON.parse(call?.function.arguments ?? '')).toThrow(SyntaxError);
  });
});

describe('proof that the first call is finished', () => {
  const first = { index: 0, name: 'a', arguments: '{"x":1}' };

  it('is the beginning of the next call', () => {
    expect(assemble(first).isFirstFinished).toBe(false);
    expect(assemble(first, { index: 1, id: 'j' }).isFirstFinished).toBe(true);
  });

  it.each([
    ['has no arguments yet: deltas may interleave', [{ index: 0, name: 'a' }]],
    ['has half of its arguments', [{ index: 0, name: 'a', arguments: '{"x"' }]],
    ['has no object as arguments', [{ index: 0, name: 'a', arguments: '[1]' }]],
    ['has a blank name', [{ index: 0, name: ' ', arguments: '{}' }]],
  ])('is missing while it %s', (_what, deltas) => {
    expect(assemble(...deltas, { index: 1, name: 'b' }).isFirstFinished).toBe(false);
  });
});

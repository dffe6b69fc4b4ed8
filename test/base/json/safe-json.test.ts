import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toSafeJson } from '../../../src/base/json/safe-json.ts';

describe('safe JSON', () => {
  it('NUL, lone surrogates and binary data never reach JSON', () => {
    const value = { 'k\0': 'a\0b\ud800', bytes: Buffer.from('x'), list: ['\udc00'] };
    expect(toSafeJson(value)).toEqual({
      'k\ufffd': 'a\ufffdb\ufffd',
      bytes: '<binary data, 1 bytes>',
      list: ['\ufffd'],
    });
  });

  it('an object whose toJSON returns the object has the fields that JSON.stringify finds', () => {
    const own = { a: 1, toJSON: () => own };
    expect(toSafeJson(own)).toEqual(JSON.parse(JSON.stringify(own)));
  });

  it('cycles, extreme depth, odd numbers, functions and __proto__ come out as plain JSON', () => {
    const cycle: Record<string, unknown> = {
      n: Number.NaN,
      big: 10n,
      f: () => 1,
      date: new Date(0),
      u: undefined,
    };
    cycle['self'] = cycle;
    expect(toSafeJson(cycle)).toEqual({
      n: null,
      big: '10',
      date: '1970-01-01T00:00:00.000Z',
      self: '<circular>',
    });
    const parsed: unknown = JSON.parse('{"__proto__":{"x":1}}');
    expect(JSON.stringify(toSafeJson(parsed))).toBe('{"__proto__":{"x":1}}');
    let deep: unknown = 'end';
    for (let level = 0; level < 5_000; level += 1) deep = [deep];
    expect(JSON.stringify(toSafeJson(deep))).toContain('<nested too deeply>');
    expect(toSafeJson(undefined)).toBeNull();
  });

  it('any JSON value comes out equal, except what is made safe', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.stringify(value);
        fc.pre(!plain.includes('\\u0000') && plain.isWellFormed() && !/\\ud[89a-f]/.test(plain));
        expect(JSON.stringify(toSafeJson(JSON.parse(plain)))).toBe(plain);
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { configure } from 'safe-stable-stringify';
import { canonicalJson } from '../../../src/contracts/values/canonical-json.ts';

const oracle = configure({ deterministic: (a, b) => (a < b ? -1 : Number(a > b)) });

/** Returns an equal value in which the keys of every object stand in the opposite order. */
const withKeysReversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withKeysReversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, withKeysReversed(item)] as const);
  return Object.fromEntries(fields.toReversed());
};

describe('canonicalJson', () => {
  it('agrees with an independent implementation', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(value)).toBe(oracle(value));
      }),
    );
  });

  it('drops undefined and keeps own keys that look like prototypes', () => {
    expect(canonicalJson({ b: undefined, a: [undefined] })).toBe('{"a":[null]}');
    expect(canonicalJson(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
  });

  it('is equal for values whose keys differ only in their order, and parses back to an equal value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(withKeysReversed(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

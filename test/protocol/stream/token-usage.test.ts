import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TokenUsage } from '../../../src/contracts/model/model-message.ts';
import { addUsage } from '../../../src/protocol/stream/token-usage.ts';

const count = fc.nat(1_000);
const usages: fc.Arbitrary<TokenUsage> = fc.record(
  {
    promptTokens: count,
    completionTokens: count,
    cachedTokens: count,
    cacheWriteTokens: count,
    reasoningTokens: count,
    estimated: fc.constant(true),
  },
  { requiredKeys: ['promptTokens', 'completionTokens'] },
);
const NONE: TokenUsage = { promptTokens: 0, completionTokens: 0 };
const sumOf = (calls: readonly TokenUsage[]): TokenUsage => calls.reduce(addUsage, NONE);

it('token usage adds each part over the calls that report it, in any order, and leaves out parts that none reports', () => {
  fc.assert(
    fc.property(fc.array(usages, { maxLength: 6 }), (calls) => {
      const sum = sumOf(calls);
      for (const part of ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
        const told = calls.flatMap((call) => call[part] ?? []);
        expect(sum[part]).toBe(told.length === 0 ? undefined : told.reduce((a, b) => a + b, 0));
      }
      expect(sumOf(calls.toReversed())).toEqual(sum);
    }),
  );
});

import { expect, it } from '@jest/globals';
import { fallbackProblems, fallbacksOf } from '../../../src/config/files/model-fallbacks.ts';
import { MAX_STEP_ATTEMPTS } from '../../../src/contracts/wire/event-id.ts';
import { callModelOptions } from '../../../workflows/sdk/activity-options.ts';

/** Returns models of which each has the next one as its fallback, by their names. */
const chainOf = (length: number) =>
  new Map(
    Array.from({ length }, (_, i) => [
      `m${i}`,
      { contextWindow: 100_000, fallback: i + 1 < length ? `m${i + 1}` : undefined },
    ]),
  );

it('a step has an epoch for each attempt of its model and of the most fallbacks that it can have', () => {
  const lengths = Array.from({ length: 20 }, (_, i) => i + 1);
  const longest =
    lengths.findLast((length) => fallbackProblems(chainOf(length), new Set()).length === 0) ?? 0;
  const models = 1 + fallbacksOf(chainOf(longest), 'm0').length;
  const attempts = callModelOptions('', 0, 0).retry?.maximumAttempts ?? Number.POSITIVE_INFINITY;
  expect(models).toBeGreaterThan(1);
  expect(models * attempts).toBeLessThanOrEqual(MAX_STEP_ATTEMPTS);
});

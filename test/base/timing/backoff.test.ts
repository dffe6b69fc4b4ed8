import { expect, it } from '@jest/globals';
import { Backoff } from '../../../src/base/timing/backoff.ts';

const takePauses = (backoff: Backoff, count: number): readonly number[] =>
  Array.from({ length: count }, () => backoff.nextPause());

it('pauses double up to the longest, and begin again after a success', () => {
  const backoff = new Backoff(100, 500);
  expect(takePauses(backoff, 5)).toEqual([100, 200, 400, 500, 500]);
  backoff.reset();
  expect(takePauses(backoff, 2)).toEqual([100, 200]);
});

it('a failure is the first one until its pause is taken', () => {
  const backoff = new Backoff(100, 500);
  expect(backoff.isFirst).toBe(true);
  backoff.nextPause();
  expect(backoff.isFirst).toBe(false);
  backoff.reset();
  expect(backoff.isFirst).toBe(true);
});

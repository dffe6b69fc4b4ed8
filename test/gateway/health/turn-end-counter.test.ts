import { expect, it } from '@jest/globals';
import { TurnEndCounter } from '../../../src/gateway/health/turn-end-counter.ts';

it('the count of ended turns takes a bounded amount of memory for turns that nobody asks about', async () => {
  let asked = 0;
  const ended = new TurnEndCounter({
    findEndStatuses: (turnIds) => Promise.resolve([]).finally(() => (asked = turnIds.length)),
    count: () => undefined,
  });
  for (let turn = 0; turn < 30_000; turn += 1) ended.started(`t${turn}`, 'standard');
  await ended.countEnds();
  expect(asked).toBe(20_000);
});

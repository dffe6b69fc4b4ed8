// Tier: pure core. 172 labelled traces of agents that loop, work honestly, or both (docs/performance.md).
import { describe, expect, it } from '@jest/globals';
import { playTrace } from './play-trace.ts';
import { type Score, scoreTrace, tableOf } from './score.ts';
import { readTraces } from './trace.ts';

const scores: Score[] = [];
for (const trace of readTraces()) scores.push(scoreTrace(trace, await playTrace(trace)));

const share = (list: readonly Score[], test: (score: Score) => boolean): number =>
  list.filter(test).length / list.length;

describe('tool discipline on labelled traces, 25 cycles', () => {
  it('plays every trace', () => {
    process.stdout.write(`${tableOf(scores)}\n`);
    expect(scores).toHaveLength(172);
  });

  it('ends at least 99 % of the loops within their bound', () => {
    const loops = scores.filter(({ label }) => label !== 'honest');
    expect(loops.filter(({ ended }) => !ended)).toEqual([]);
    expect(share(loops, ({ ended }) => ended)).toBeGreaterThanOrEqual(0.99);
  });

  it('harms at most 2 % of the honest work', () => {
    const honest = scores.filter(({ label }) => label !== 'spam');
    expect(share(honest, ({ harm }) => harm.length > 0)).toBeLessThanOrEqual(0.02);
  });

  it('closes at most 2 % of the honest work by force', () => {
    const honest = scores.filter(({ label }) => label !== 'spam');
    expect(share(honest, ({ cutShort }) => cutShort)).toBeLessThanOrEqual(0.02);
  });
});

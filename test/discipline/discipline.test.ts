/** These are 172 labelled traces of agents that loop, work honestly, or both (docs/protocol.md). */
import { describe, expect, it } from '@jest/globals';
import { playTrace } from './support/play-trace.ts';
import { type Score, scoreTrace } from './support/score.ts';
import { itKeepsDiscipline } from './support/score-suite.ts';
import { readTraces } from './support/trace.ts';

const scores: Score[] = [];
for (const trace of readTraces()) scores.push(scoreTrace(trace, await playTrace(trace)));

const share = (list: readonly Score[], test: (score: Score) => boolean): number =>
  list.filter(test).length / list.length;

describe('tool discipline on labelled traces, 25 cycles', () => {
  itKeepsDiscipline(scores);

  it('ends every loop within its bound', () => {
    const loops = scores.filter(({ label }) => label !== 'honest');
    expect(loops.filter(({ hasEnded }) => !hasEnded)).toEqual([]);
  });

  it('closes at most 2 % of the honest work by force', () => {
    const honest = scores.filter(({ label }) => label !== 'spam');
    expect(share(honest, ({ isCutShort }) => isCutShort)).toBeLessThanOrEqual(0.02);
  });
});

import { expect, it } from '@jest/globals';
import { logLine } from '../../support/test-log.ts';
import { tableOf, type Score } from './score.ts';

/** Defines the tests of the two figures that the product has to reach; `scores` may be filled after the call. */
export const itKeepsDiscipline = (scores: readonly Score[]): void => {
  it('plays every trace', () => {
    logLine(tableOf(scores));
    expect(scores).toHaveLength(172);
  });

  it('ends at least 99 % of the loops within their bound', () => {
    const loops = scores.filter(({ label }) => label !== 'honest');
    const endless = loops.filter(({ hasEnded }) => !hasEnded).map(({ id }) => id);
    const ended = 1 - endless.length / loops.length;
    logLine(`loops ended: ${(100 * ended).toFixed(1)} % ${endless.join(' ')}`);
    expect(ended).toBeGreaterThanOrEqual(0.99);
  });

  it('harms at most 2 % of the honest work', () => {
    const honest = scores.filter(({ label }) => label !== 'spam');
    const harms = honest
      .filter(({ harm }) => harm.length > 0)
      .map(({ id, harm }) => `${id}: ${harm.join(' ')}`);
    const harmed = harms.length / honest.length;
    logLine(`honest work harmed: ${(100 * harmed).toFixed(1)} % ${harms.join('\n')}`);
    expect(harmed).toBeLessThanOrEqual(0.02);
  });
};

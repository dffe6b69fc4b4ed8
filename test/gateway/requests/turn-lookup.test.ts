import { describe, expect, it } from '@jest/globals';
import type { TurnView } from '../../../src/gateway/ports/turn-views.ts';
import { shareLookups } from '../../../src/gateway/requests/turn-lookup.ts';

const TURN = { turnId: 'turn-1' } as TurnView;

/** Returns look-ups that the test answers by hand, in the order in which they came. */
const byHand = () => {
  const asked: ((answer: TurnView | undefined | Error) => void)[] = [];
  const find = () =>
    new Promise<TurnView | undefined>((resolve, reject) => {
      asked.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
    });
  return { asked, shared: shareLookups({ find }) };
};

describe('look-ups of one turn at the same time', () => {
  it('are one, and the next after it is another', async () => {
    const { asked, shared } = byHand();
    const all = [shared.find('turn-1'), shared.find('turn-1'), shared.find('turn-1')];
    expect(asked).toHaveLength(1);
    asked[0]?.(TURN);
    expect(await Promise.all(all)).toEqual([TURN, TURN, TURN]);
    const later = shared.find('turn-1');
    expect(asked).toHaveLength(2);
    asked[1]?.(TURN);
    expect(await later).toBe(TURN);
  });

  it('do not hide a turn that was started while the first one ran', async () => {
    const { asked, shared } = byHand();
    const [first, second] = [shared.find('turn-1'), shared.find('turn-1')];
    asked[0]?.(undefined);
    expect(await first).toBeUndefined();
    await Promise.resolve();
    asked[1]?.(TURN);
    expect(await second).toBe(TURN);
  });

  it('fail together, and the next one is asked', async () => {
    const { asked, shared } = byHand();
    const all = Promise.allSettled([shared.find('turn-1'), shared.find('turn-1')]);
    asked[0]?.(new Error('gone'));
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = shared.find('turn-1');
    asked[1]?.(TURN);
    expect(await later).toBe(TURN);
  });

  it('are separate from those of other turns', async () => {
    const { asked, shared } = byHand();
    const all = [shared.find('turn-1'), shared.find('turn-2')];
    expect(asked).toHaveLength(2);
    for (const answer of asked) answer(TURN);
    await Promise.all(all);
  });
});

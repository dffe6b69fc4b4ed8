import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../arms/ask.ts';
import { comparisonTable, inRandomBlocks, slowerThan, summarizeArms } from '../comparison.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';

const WARM_UP_BLOCKS = 5;
const BLOCKS = { full: 100, quick: 5 };
/**
 * The pause between turns in milliseconds, because a workflow completes only after its client has read `done` and would
 * slow down the next turn.
 */
const REST_MS = 50;
/**
 * The bars of docs/performance.md for p50 and p95 in milliseconds. The arm `bare` shows what Orion adds to a workflow
 * with one activity.
 */
const BARS = { p50: 15, p95: 40 };

export const firstToken: Figure = {
  name: 'first-token',
  title: 'Time to first token: POST sent → first text at the client, one turn at a time (ms)',
  async measure({ isQuick, random, ground }) {
    const { model, arms } = await ground();
    await model.answerAll(endingAfter([{ text: 'Hello' }, { text: ' there.' }]));
    const run = (blocks: number) =>
      inRandomBlocks(arms, blocks, random, async (arm) => {
        const { askedAt, pieces } = await ask(arm, 'Hello?');
        await delay(REST_MS);
        return pieces.slice(0, 1).map(({ at }) => at - askedAt);
      });
    await run(WARM_UP_BLOCKS);
    const summaries = summarizeArms(await run(isQuick ? BLOCKS.quick : BLOCKS.full));
    return {
      ...comparisonTable(summaries),
      checks: (['proxy', 'bare'] as const).flatMap((rival) => [
        slowerThan(rival, summaries, 'p50', BARS.p50),
        slowerThan(rival, summaries, 'p95', BARS.p95),
      ]),
    };
  },
};

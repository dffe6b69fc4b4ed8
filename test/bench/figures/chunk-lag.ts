import type { Arm } from '../arms/arm.ts';
import { ask } from '../arms/ask.ts';
import { comparisonTable, inRandomBlocks, slowerThan, summarizeArms } from '../comparison.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { readLags } from '../timed-text.ts';

const CHUNKS_PER_SECOND = 50;
const SIZE = { full: { blocks: 10, chunks: 100 }, quick: { blocks: 1, chunks: 25 } };
/** The bars of docs/performance.md in milliseconds. */
const BARS = { p50: 1, p99: 5 };
const MIN_TIMES_FASTER_THAN_POLLING = 100;

export const chunkLag: Figure = {
  name: 'chunk-lag',
  title: `Chunk lag: model sends → client has it, ${CHUNKS_PER_SECOND} chunks/s (ms)`,
  async measure({ isQuick, random, ground }) {
    const { model, arms } = await ground();
    const { blocks, chunks } = isQuick ? SIZE.quick : SIZE.full;
    const run = (count: number) => inRandomBlocks(arms, count, random, (arm) => lagsOf(arm, chunks));
    await model.answerAll(endingAfter([{ chunks, perSecond: CHUNKS_PER_SECOND }]));
    await run(1);
    const summaries = summarizeArms(await run(blocks));
    const fasterThanPolling = summaries.polling.p50 / summaries.orion.p50;
    return {
      ...comparisonTable(summaries),
      checks: [
        slowerThan('proxy', summaries, 'p50', BARS.p50),
        slowerThan('proxy', summaries, 'p99', BARS.p99),
        {
          what: 'polling ÷ orion, p50',
          value: fasterThanPolling,
          bar: MIN_TIMES_FASTER_THAN_POLLING,
          side: 'at least',
          unit: '×',
        },
      ],
    };
  },
};

const lagsOf = async (arm: Arm, chunks: number): Promise<number[]> => {
  const { pieces } = await ask(arm, 'Tell me the time, again and again.');
  const lags = readLags(pieces);
  if (lags.length !== chunks) {
    throw new Error(`${arm.name}: expected ${chunks} timed chunks, received ${lags.length}`);
  }
  return lags;
};

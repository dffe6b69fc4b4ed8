import { setTimeout as delay } from 'node:timers/promises';
import type { Arm } from './arms/arm.ts';
import { ask, RefusedError, type Answer } from './arms/ask.ts';
import { type Response } from '../support/fake-model/script.ts';
import { endingAfter } from './model.ts';
import { readTimed, type TimedChunk } from './timed-text.ts';

export const CHUNKS_PER_SECOND = 50;
const START_GAP_MS = 100;
const RETRY_MS = 1_000;
/** From the last start to the first thing that is measured: what starts cost is another figure's business. */
const SETTLE_MS = 1_500;

/** Milliseconds from the first start until all turns stream and starts have been forgotten. */
export const untilTogether = (turns: number): number => turns * START_GAP_MS + SETTLE_MS;

/** An answer long enough that the first of so many turns still streams when `milliseconds` of all together are over. */
export const longEnough = (turns: number, milliseconds: number): Response => {
  const chunks = Math.ceil(((untilTogether(turns) + milliseconds) / 1000) * CHUNKS_PER_SECOND);
  return endingAfter([{ chunks, perSecond: CHUNKS_PER_SECOND }]);
};

/** Asks one question; comes back when its start is refused for want of machine, as `Retry-After` says. */
export const askUntilTaken = async (arm: Arm): Promise<Answer> => {
  try {
    return await ask(arm, 'Talk.');
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 503) throw error;
    await delay(RETRY_MS);
    return askUntilTaken(arm);
  }
};

/** All timed chunks of turns that stream at once; each starts a little after the one before. */
export const streamTurns = async (arm: Arm, turns: number): Promise<TimedChunk[]> => {
  const answers = Array.from({ length: turns }, async (_, i) => {
    await delay(i * START_GAP_MS);
    return askUntilTaken(arm);
  });
  return (await Promise.all(answers)).flatMap(({ pieces }) => readTimed(pieces));
};

/** Milliseconds since the epoch, as `TimedChunk.sentAt`. */
export const epochNow = (): number => performance.timeOrigin + performance.now();

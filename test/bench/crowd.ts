import { setTimeout as delay } from 'node:timers/promises';
import type { Arm } from './arms/arm.ts';
import { ask, RefusedError, type Answer } from './arms/ask.ts';
import { type Response } from '../support/fake-model/script.ts';
import { endingAfter } from './model.ts';
import { readTimed, type TimedChunk } from './timed-text.ts';

export const CHUNKS_PER_SECOND = 50;
const START_GAP_MS = 100;
const RETRY_MS = 1_000;
/**
 * The time from the last start to the first chunk that is measured, because other figures measure the cost of starts.
 */
const SETTLE_MS = 1_500;

/** Returns the milliseconds from the first start until all turns stream and the starts no longer matter. */
export const msUntilTogether = (turns: number): number => turns * START_GAP_MS + SETTLE_MS;

/** Returns an answer that is long enough for all `turns` to stream together for `milliseconds`. */
export const answerLastingFor = (turns: number, milliseconds: number): Response => {
  const chunks = Math.ceil(((msUntilTogether(turns) + milliseconds) / 1000) * CHUNKS_PER_SECOND);
  return endingAfter([{ chunks, perSecond: CHUNKS_PER_SECOND }]);
};

/** Asks one question; asks it again a second after each refusal with 503, the answer of a machine that is busy. */
export const askUntilAccepted = async (arm: Arm): Promise<Answer> => {
  try {
    return await ask(arm, 'Talk.');
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 503) throw error;
    await delay(RETRY_MS);
    return askUntilAccepted(arm);
  }
};

/** Returns all timed chunks of turns that stream at once; each turn starts a little after the previous one. */
export const streamTurns = async (arm: Arm, turns: number): Promise<TimedChunk[]> => {
  const answers = Array.from({ length: turns }, async (_, i) => {
    await delay(i * START_GAP_MS);
    return askUntilAccepted(arm);
  });
  return (await Promise.all(answers)).flatMap(({ pieces }) => readTimed(pieces));
};

/** Returns the milliseconds since 1970, on the same clock as `TimedChunk.sentAt`. */
export const epochNow = (): number => performance.timeOrigin + performance.now();

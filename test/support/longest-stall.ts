import { cpuAdjustedNow } from './own-time.ts';

/**
 * The pause between two looks at the clock. Looking without a pause would take the processor from the tests beside this
 * one.
 */
const LOOK_EVERY_MS = 1;

/**
 * Reads the clock again and again. Work that blocks the event loop shows as a pause between two looks that is longer
 * than it should be.
 */
const watchLoop = (): { stop(): number } => {
  let longest = 0;
  let last = cpuAdjustedNow();
  const sinceLast = (): number => cpuAdjustedNow() - last - LOOK_EVERY_MS;
  const timer = setInterval(() => {
    longest = Math.max(longest, sinceLast());
    last = cpuAdjustedNow();
  }, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(longest, sinceLast());
    },
  };
};

/**
 * Resolves to the longest time, in milliseconds, for which `work` blocked the event loop; time for which other
 * processes kept this one from running is left out. Rejects as `work` does.
 */
export const longestStall = async (work: () => Promise<unknown>): Promise<number> => {
  const loop = watchLoop();
  await work();
  // Work that is left behind for the next tick of the loop counts as well.
  await new Promise((resolve) => setImmediate(resolve));
  return loop.stop();
};

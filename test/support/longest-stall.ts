import { ownNow } from './own-time.ts';

/** Between two looks: they are to cost next to nothing, so that tests beside this one have the processor. */
const LOOK_EVERY_MS = 1;

/** Looks at the clock again and again, so that work between two looks shows as what is beyond their pause. */
const watchLoop = (): { stop(): number } => {
  let longest = 0;
  let last = ownNow();
  const sinceLast = (): number => ownNow() - last - LOOK_EVERY_MS;
  const looking = setInterval(() => {
    longest = Math.max(longest, sinceLast());
    last = ownNow();
  }, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(looking);
      return Math.max(longest, sinceLast());
    },
  };
};

/**
 * Milliseconds for which `work` kept the event loop from everything else, at its longest; not those for which other
 * processes kept it from running. Rejects as it does.
 */
export const longestStall = async (work: () => Promise<unknown>): Promise<number> => {
  const loop = watchLoop();
  await work();
  // What it leaves behind for the next tick of the loop counts, too.
  await new Promise((resolve) => setImmediate(resolve));
  return loop.stop();
};

/** Looks at the clock in every turn of the event loop, so that no work between two of them goes unseen. */
const watchLoop = (): { stop(): number } => {
  let longest = 0;
  let last = performance.now();
  let next: NodeJS.Immediate;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(look);
  };
  next = setImmediate(look);
  return {
    stop() {
      clearImmediate(next);
      return Math.max(longest, performance.now() - last);
    },
  };
};

/** Milliseconds for which `work` kept the event loop from everything else, at its longest. Rejects as it does. */
export const longestStall = async (work: () => Promise<unknown>): Promise<number> => {
  const loop = watchLoop();
  await work();
  // What it leaves behind for the next turn of the loop counts, too.
  await new Promise((resolve) => setImmediate(resolve));
  return loop.stop();
};

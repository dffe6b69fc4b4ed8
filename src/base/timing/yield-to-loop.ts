import { setImmediate as nextLoopIteration } from 'node:timers/promises';

/** Time in milliseconds that work on the main thread may take before it lets streaming answers continue. */
const SHARE_MS = 5;

/** A function to await between the pieces of long work on the main thread, so that the event loop gets its share. */
export type YieldToLoop = () => Promise<void>;

/**
 * Creates a function to await between pieces of work. It yields to the event loop if `SHARE_MS` have passed
 * since it last yielded or was created. Otherwise it resolves at once.
 */
export const createYieldToLoop = (): YieldToLoop => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SHARE_MS) return;
    await nextLoopIteration();
    since = performance.now();
  };
};

import { setImmediate as nextTick } from 'node:timers/promises';

/** Milliseconds that work on the main thread may take before it lets streaming answers continue. */
const SHARE_MS = 5;

/** A function to await between the pieces of long work on the main thread, so that the event loop gets its share. */
export type YieldToLoop = () => Promise<void>;

/**
 * Creates a function to await between pieces of work. It yields to the event loop if the work has taken 5 ms since the
 * last time that it yielded. Otherwise it resolves at once.
 */
export const createYieldToLoop = (): YieldToLoop => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SHARE_MS) return;
    await nextTick();
    since = performance.now();
  };
};

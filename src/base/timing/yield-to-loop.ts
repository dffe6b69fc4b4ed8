import { setImmediate as nextTick } from 'node:timers/promises';

/** Milliseconds that work on the main thread may take before streaming answers get their turn. */
const SHARE_MS = 5;

/** Awaited between the pieces of long work on the main thread, so that the event loop gets its share. */
export type YieldToLoop = () => Promise<void>;

/**
 * Makes a function to await between pieces of work. It yields to the event loop when the pieces since the last time
 * have taken long enough, and costs nothing otherwise.
 */
export const createYieldToLoop = (): YieldToLoop => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SHARE_MS) return;
    await nextTick();
    since = performance.now();
  };
};

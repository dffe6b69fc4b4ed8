import { setImmediate as nextTick } from 'node:timers/promises';

/** Milliseconds that work on the main thread may take before streaming answers get their turn. */
const SHARE_MS = 5;

/** Awaited between the pieces of long work on the main thread, so that the event loop gets its share. */
export type LoopShare = () => Promise<void>;

/**
 * A share of the event loop: it lets the loop go on when the pieces since the last time have taken long enough, and
 * costs nothing otherwise.
 */
export const loopShare = (): LoopShare => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SHARE_MS) return;
    await nextTick();
    since = performance.now();
  };
};

import { setImmediate as nextTick } from 'node:timers/promises';

/** Milliseconds that work on the main thread may take before answers that stream go on. */
const SHARE_MS = 5;

/** What work on the main thread that may be much awaits between its pieces. */
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

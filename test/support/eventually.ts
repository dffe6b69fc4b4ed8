import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 5;
/**
 * Time in milliseconds after which `eventually` gives up. It is shorter than the limit of a test, so that a miss fails
 * with a message of its own.
 */
const WITHIN_MS = 200_000;

/**
 * Calls `look` until it returns something other than `undefined` or `false`, and resolves to that. It is meant for what
 * no event announces. `pauseMs` is the pause between two calls. Rejects as `look` does, and after 200 s with `what`.
 */
export const eventually = async <T>(
  what: string,
  look: () => T | Promise<T>,
  pauseMs = PAUSE_MS,
): Promise<Exclude<T, false | undefined>> => {
  const giveUpAt = performance.now() + WITHIN_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as Exclude<T, false | undefined>;
    if (performance.now() > giveUpAt) throw new Error(`expected ${what} within ${WITHIN_MS / 1_000} s`);
    await delay(pauseMs);
  }
};

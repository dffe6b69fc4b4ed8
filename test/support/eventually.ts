import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 5;
/** The limit is shorter than that of a test, so that a miss fails with a message of its own. */
const WITHIN_MS = 200_000;

/**
 * Looks until `look` finds something else than `undefined` or `false`, and resolves to that; it is meant for what
 * announces itself nowhere. `pauseMs` lies between two looks. Rejects after 200 s with what was looked for.
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

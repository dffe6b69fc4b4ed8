const TRIES = 3;
const FACTOR = 4;

/**
 * Runs `attempt` with a limit of `ms`, and when it throws with four and with sixteen times as much: a machine that is
 * too slow for the first limit keeps a later one, while broken code fails with all three. Resolves, or finally rejects,
 * as the last attempt does.
 */
export const withGrowingLimit = async <T>(ms: number, attempt: (ms: number) => Promise<T>): Promise<T> => {
  for (let tried = 1, limit = ms; ; tried += 1, limit *= FACTOR) {
    try {
      return await attempt(limit);
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
};

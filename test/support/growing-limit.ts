const TRIES = 3;
const FACTOR = 4;

/**
 * Runs `attempt` with a limit of `ms`, and where it throws with four and sixteen times as much: a machine that is too
 * slow for the first limit keeps a later one, and what is broken fails with every one. Resolves, or at last rejects, as
 * the attempt does.
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

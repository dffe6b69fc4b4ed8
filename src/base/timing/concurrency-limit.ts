/** Runs at most `count` tasks at once; the others wait for their turn. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs tasks first come, first served. A task that rejects makes room like any other. */
export const limitConcurrency = (count: number): ConcurrencyLimit => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= count) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      waiting.push(() => resolve(undefined));
      await promise;
    } else {
      running += 1;
    }
    try {
      return await task();
    } finally {
      // The place is handed over, and never free in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};

/** Runs a task when there is room for it, and returns its result. Rejects with whatever the task rejects with. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Creates a limit of `count` tasks that run at once. Other tasks wait, and begin in the order in which they came. A
 * task that rejects makes room, too.
 */
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
      // The place is handed over, so that no other task takes it in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};

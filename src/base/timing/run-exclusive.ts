/** Runs a function after all earlier ones have ended, even if one of them failed, and returns its result. */
export type RunExclusive = <T>(run: () => Promise<T>) => Promise<T>;

/** Creates a queue that runs its functions one after the other, in order. */
export const createRunExclusive = (): RunExclusive => {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run);
    last = next.catch(() => undefined);
    return next;
  };
};

/** Runs functions one after the other, whether they fail or not. */
export type RunExclusive = <T>(run: () => Promise<T>) => Promise<T>;

/** Makes a queue that runs its functions one after the other, in order. */
export const createRunExclusive = (): RunExclusive => {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run);
    last = next.catch(() => undefined);
    return next;
  };
};

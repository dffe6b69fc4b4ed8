import type { Clock } from '../../base/timing/clock.ts';

/** The time for which an answer is awaited. `ms` is in milliseconds. */
export interface Deadline {
  readonly clock: Pick<Clock, 'after'>;
  readonly ms: number;
  /** Gives up before the deadline, when the answer is of no use any longer. */
  readonly stop: AbortSignal;
  /** Called with the reason when there is no answer, unless the wait was stopped. */
  onFailure(error: unknown): void;
}

/**
 * Resolves to the value of `work`, or to undefined when it fails, takes longer than `ms` or is stopped. Its signal is
 * aborted in the last two cases, and a value that comes later is dropped. Never rejects.
 */
export const withinDeadline = <T>(
  { clock, ms, stop, onFailure }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> => {
  const abort = new AbortController();
  return new Promise((resolve) => {
    const settle = (value?: T): void => {
      cancelTimer();
      stop.removeEventListener('abort', giveUp);
      resolve(value);
    };
    const giveUp = (): void => {
      abort.abort();
      settle();
    };
    const fail = (error: unknown): void => {
      if (abort.signal.aborted) return;
      onFailure(error);
      settle();
    };
    const cancelTimer = clock.after(ms, () => {
      onFailure(new Error(`No answer within ${ms} ms`));
      giveUp();
    });
    stop.addEventListener('abort', giveUp);
    // Within an async function even a `work` that throws at once is a rejection.
    (async () => work(abort.signal))().then(settle, fail);
  });
};

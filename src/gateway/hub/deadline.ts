import type { Clock } from '../../base/timing/clock.ts';

/** The limits of a wait for something that may never answer, and who is told when no answer comes. */
export interface Deadline {
  readonly clock: Pick<Clock, 'after'>;
  /** Milliseconds to wait. */
  readonly ms: number;
  /** Ends the wait before the deadline when it is aborted. It must not be aborted already. */
  readonly stop: AbortSignal;
  /** Called with the reason when the work fails or takes too long, but not when the wait was stopped. */
  onFailure(error: unknown): void;
}

/**
 * Resolves to the value of `work`, or to undefined when `work` fails, takes longer than `ms` or is stopped. In the last
 * two cases the signal that `work` was given is aborted, and a value that comes later is dropped. Never rejects.
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
    // The async function turns an error that `work` throws at once into a rejection.
    (async () => work(abort.signal))().then(settle, fail);
  });
};

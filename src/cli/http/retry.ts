import { GatewayRefusedError, GatewayUnreachableError } from './gateway-failures.ts';

/** How a call is repeated while the gateway cannot be reached; times in milliseconds. */
export interface RetryOptions {
  /** Number of tries in all. */
  readonly attempts: number;
  readonly delayMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called after every failed try, including the last one. */
  readonly report: (line: string) => void;
}

/**
 * Repeats an idempotent call until the gateway answers, at most `attempts` times in all. Returns what the call returns.
 * Throws the last `GatewayUnreachableError` and, without a repeat, any other error of the call.
 */
export const withRetries = async <T>(
  { attempts, delayMs, sleep, report }: RetryOptions,
  call: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof GatewayUnreachableError)) throw error;
      report(retryLine(attempt, attempts));
      if (attempt >= attempts) throw error;
      await sleep(delayMs);
    }
  }
};

/**
 * Returns the line about a failed try. Scripts may rely on its words (docs/cli.md "Exit codes"). They are therefore the
 * same after the last try, although none follows.
 */
const retryLine = (attempt: number, attempts: number): string =>
  `Failed to connect to backend. Check if server is running. Retrying... (attempt ${attempt}/${attempts})`;

/**
 * Largest number of tries while no worker answers. The gateway waits nearly 2 s in each of them, and by default they
 * are a second apart. So they outlast the 21 s after which a workflow task that was lost with its worker is with
 * another worker (docs/operations.md).
 */
export const WORKER_ATTEMPTS = 10;

/**
 * Repeats an idempotent call like `withRetries`, and also while the gateway answers 503 because no worker confirms the
 * call. Throws the last `GatewayUnreachableError` or `GatewayRefusedError`.
 */
export const retryUntilWorkerAnswers = async <T>(retry: RetryOptions, call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withRetries(retry, call);
    } catch (error) {
      if (!isWorkerAway(error) || attempt >= WORKER_ATTEMPTS) throw error;
      if (attempt === 1) retry.report(`Not taken yet (${error.code}). Trying again ...`);
      await retry.sleep(retry.delayMs);
    }
  }
};

/** Reports whether the gateway answered 503, as it does when no worker confirmed within 2 s that it has the call. */
const isWorkerAway = (error: unknown): error is GatewayRefusedError =>
  error instanceof GatewayRefusedError && error.status === 503;

/** Reports whether an error leaves open whether the call was carried out. */
export const mayHaveTakenEffect = (error: unknown): boolean =>
  error instanceof GatewayUnreachableError || isWorkerAway(error);

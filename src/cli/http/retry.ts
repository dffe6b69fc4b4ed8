import { GatewayRefusal, GatewayUnreachable } from './gateway-failures.ts';

/** How a call is repeated while the gateway cannot be reached; times in milliseconds. */
export interface RetrySettings {
  /** Number of tries in all. */
  readonly attempts: number;
  readonly delayMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called after every failed try. */
  readonly report: (line: string) => void;
}

/** The line that announces another try of a request. */
const retryLine = (attempt: number, attempts: number): string =>
  `Failed to connect to backend. Check if server is running. Retrying... (attempt ${attempt}/${attempts})`;

/**
 * Repeats a call that may be repeated while no answer comes; any answer of the gateway is returned or thrown. Throws
 * the last `GatewayUnreachable`.
 */
export const withRetries = async <T>(
  { attempts, delayMs, sleep, report }: RetrySettings,
  call: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof GatewayUnreachable)) throw error;
      report(retryLine(attempt, attempts));
      if (attempt >= attempts) throw error;
      await sleep(delayMs);
    }
  }
};

/**
 * Tries of 2 s each for a worker, a second apart. A workflow task that was lost with its worker goes to another one
 * after 21 s at most (docs/operations.md).
 */
const WORKER_ATTEMPTS = 10;

/**
 * Repeats a call whose answer does not depend on repeats, also while the gateway says that no worker answers (503).
 * Throws the last `GatewayUnreachable` or `GatewayRefusal`.
 */
export const retryUntilWorkerAnswers = async <T>(
  retry: RetrySettings,
  call: () => Promise<T>,
): Promise<T> => {
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

/** True when no worker confirmed within 2 s that it has the call. */
const isWorkerAway = (error: unknown): error is GatewayRefusal =>
  error instanceof GatewayRefusal && error.status === 503;

/** Tells if an error leaves open whether the call was carried out. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof GatewayUnreachable || isWorkerAway(error);

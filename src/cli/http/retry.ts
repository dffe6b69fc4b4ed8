import { GatewayUnreachable } from './gateway-failures.ts';

/** How often a call is repeated while the gateway cannot be reached; times in milliseconds. */
export interface RetrySettings {
  /** Tries in all. */
  readonly attempts: number;
  readonly delayMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told after every failed try. */
  readonly say: (line: string) => void;
}

/** docs/write-sessions.md, to the letter. */
const retryLine = (attempt: number, attempts: number): string =>
  `Failed to connect to backend. Check if server is running. Retrying... (attempt ${attempt}/${attempts})`;

/**
 * Repeats a call that may be repeated while no answer comes; anything the gateway answered stands. Throws the
 * last `GatewayUnreachable`.
 */
export const withRetries = async <T>(
  { attempts, delayMs, sleep, say }: RetrySettings,
  call: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof GatewayUnreachable)) throw error;
      say(retryLine(attempt, attempts));
      if (attempt >= attempts) throw error;
      await sleep(delayMs);
    }
  }
};

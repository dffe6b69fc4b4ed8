import { z } from 'zod';
import { type ApiErrorCode, apiErrorCodeSchema, apiErrorSchema } from '../../contracts/http/errors.ts';

/**
 * The reason why the gateway did not do what was asked. `unreachable` means that there was no whole response, or an
 * error in a form that is not the gateway's. `unreadable` means that this page cannot read a response that reports
 * success, as after an update of the gateway or from a proxy that has a page of its own.
 */
export interface Failure {
  readonly code: ApiErrorCode | 'unreachable' | 'unreadable';
  readonly message: string;
  readonly details?: unknown;
  /** Milliseconds after which the gateway may be asked again, from 0 to `MAX_RETRY_AFTER_MS`. */
  readonly retryAfterMs?: number;
}

/** Accepts the code and the message of a `Failure` that a tab has stored. */
export const storedFailureSchema = z.object({
  code: z.enum([...apiErrorCodeSchema.options, 'unreachable', 'unreadable']),
  message: z.string(),
});

/**
 * Longest wait in milliseconds that a response can ask for. What is refused for longer, such as a turn that costs too
 * much today, is shown and not repeated. Without a bound, a proxy could stop the page for days, or for no time at all:
 * a timer of more than 2^31 - 1 ms ends at once.
 */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns the failure that a response with an error status reports. A response in another form counts as `unreachable`.
 */
export const failureOf = async (response: Response): Promise<Failure> => {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfterMs = Math.min(Math.max(seconds, 0) * 1_000, MAX_RETRY_AFTER_MS);
  const retry = Number.isFinite(seconds) ? { retryAfterMs } : {};
  const body = apiErrorSchema.safeParse(await response.json().catch(() => undefined));
  if (!body.success) {
    return { code: 'unreachable', message: `The gateway answered ${response.status}.`, ...retry };
  }
  const { error, code, details } = body.data;
  return { code, message: error, details, ...retry };
};

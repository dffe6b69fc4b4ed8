import { z } from 'zod';
import { type ApiErrorCode, apiErrorCodeSchema, apiErrorSchema } from '../../contracts/http/errors.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';

/**
 * The reason why the gateway did not do what was asked. `unreachable` means that there was no whole response, or that a
 * proxy answered for a gateway that was away. `unreadable` means that this page cannot read the response, as after an
 * update of the gateway or from a proxy that has a page of its own.
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

/** Statuses with which a proxy answers while the gateway behind it is away. */
const AWAY_STATUSES = new Set([502, 503, 504]);

/**
 * Returns the failure that a response with an error status reports. Rejects if the connection is lost before the end of
 * the response.
 */
export const readFailure = async (response: Response): Promise<Failure> => {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfterMs = Math.min(Math.max(seconds, 0) * 1_000, MAX_RETRY_AFTER_MS);
  const retry = Number.isFinite(seconds) ? { retryAfterMs } : {};
  const body = apiErrorSchema.safeParse(parseJson(await response.text()));
  if (body.success) {
    const { error, code, details } = body.data;
    return { code, message: error, details, ...retry };
  }
  const { status } = response;
  return AWAY_STATUSES.has(status)
    ? { code: 'unreachable', message: `The gateway answered ${status}.`, ...retry }
    : unreadableFailure(`status ${status}`);
};

/** Returns the failure of a response that this page cannot read. `reason` goes into its message. */
export const unreadableFailure = (reason: string): Failure => ({
  code: 'unreadable',
  message: `The gateway sent what this page cannot read (${reason}). Load the page again.`,
});

/* Requests to the gateway that the page came from. Failures are data, since each is shown where it happened. */
import { z } from 'zod';
import { type ApiErrorCode, apiErrorCodeSchema, apiErrorSchema } from '../../contracts/http/errors.ts';
import { abortAfter } from './abort-after.ts';

/**
 * The reason why the gateway did not do what was asked. `unreachable` means that there was no response, or none in the
 * form of the gateway. `unreadable` means that this page cannot read the response, as after an update of the gateway.
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

/** A response of the gateway, or the reason why there is none. */
export type GatewayResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

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

/** Parses what the gateway has sent. The failure names the first field that is not as this page expects it. */
export const parseResponse = <T>(schema: z.ZodType<T>, sent: unknown): GatewayResult<T> => {
  const read = schema.safeParse(sent);
  if (read.success) return { ok: true, value: read.data };
  const [issue] = read.error.issues;
  const field = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  const message = `The gateway sent what this page cannot read (${field}${issue?.message ?? ''}). Load the page again.`;
  return { ok: false, failure: { code: 'unreadable', message } };
};

const UNREACHABLE: Failure = { code: 'unreachable', message: 'The gateway does not answer.' };

const signedOut = new EventTarget();

/**
 * Calls the listeners of `onSignedOut`. Call it when the gateway no longer accepts the cookie of this browser, or was
 * asked to remove it.
 */
export const announceSignOut = (): void => void signedOut.dispatchEvent(new Event('out'));

/** Calls `run` at each `announceSignOut`. Returns a function that ends these calls. */
export const onSignedOut = (run: () => void): (() => void) => {
  signedOut.addEventListener('out', run);
  return () => signedOut.removeEventListener('out', run);
};

/** The route that says who is signed in, sets the cookie and removes it. */
export const SIGN_IN_PATH = '/api/sign-in';

/**
 * Milliseconds within which a response must come. They are meant to be enough for any request, even the undo of a turn
 * that changed many files.
 */
const RESPONSE_WITHIN_MS = 60_000;

/**
 * Sends a request to a path of the gateway and parses the response by its schema. A response without a body is parsed
 * as undefined. Announces a sign-out when a route other than `SIGN_IN_PATH` does not accept the cookie. Never rejects.
 */
export const sendRequest = async <T>(
  schema: z.ZodType<T>,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<GatewayResult<T>> => {
  const limit = abortAfter(RESPONSE_WITHIN_MS);
  try {
    const response = await fetch(path, {
      method,
      signal: limit.signal,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (response.status === 401 && path !== SIGN_IN_PATH) announceSignOut();
    if (!response.ok) return { ok: false, failure: await failureOf(response) };
    return parseResponse(schema, response.status === 204 ? undefined : await response.json());
  } catch {
    return { ok: false, failure: UNREACHABLE };
  } finally {
    limit.end();
  }
};

/**
 * Codes of failures after which a request may succeed soon, or was accepted nevertheless: Temporal, a worker or
 * Postgres did not answer, all were busy, or the gateway itself was being replaced.
 */
const UNAVAILABLE_CODES = new Set<Failure['code']>([
  'temporal_unavailable',
  'database_unavailable',
  'overloaded',
  'unreachable',
]);
const RETRY_FOR_MS = 30_000;
const PAUSE_MS = 1_000;
const MIN_PAUSE_MS = 100;

/**
 * Repeats a request while the gateway or a server behind it is unavailable, until half a minute is over. It pauses for
 * as long as the gateway asks, but not beyond that time, or for a second. Resolves to the last response. It is only for
 * requests that have no further effect when they are repeated.
 */
export const retryWhileUnavailable = async <T>(
  request: () => Promise<GatewayResult<T>>,
): Promise<GatewayResult<T>> => {
  const end = performance.now() + RETRY_FOR_MS;
  for (;;) {
    const outcome = await request();
    if (outcome.ok || !UNAVAILABLE_CODES.has(outcome.failure.code)) return outcome;
    const leftMs = end - performance.now();
    if (leftMs <= 0) return outcome;
    const { retryAfterMs = PAUSE_MS } = outcome.failure;
    const pauseMs = Math.min(Math.max(retryAfterMs, MIN_PAUSE_MS), leftMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};

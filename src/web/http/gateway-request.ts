/* Requests to the gateway that the page came from. Failures are data, since each is shown where it happened. */
import type { z } from 'zod';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { abortAfter } from './abort-after.ts';
import { type Failure, readFailure, unreadableFailure } from './request-failure.ts';
import { announceSignOut } from './sign-out.ts';

/** A response of the gateway, or the reason why there is none. */
export type GatewayResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Parses what the gateway has sent. The failure names the first field that is not as this page expects it. */
export const parseResponse = <T>(schema: z.ZodType<T>, sent: unknown): GatewayResult<T> => {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  return { ok: false, failure: unreadableFailure(`${field}${issue?.message ?? ''}`) };
};

const UNREACHABLE: Failure = { code: 'unreachable', message: 'The gateway does not answer.' };

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
    if (!response.ok) return { ok: false, failure: await readFailure(response) };
    if (response.status === 204) return parseResponse(schema, undefined);
    const sent = parseJson(await response.text());
    return sent === undefined
      ? { ok: false, failure: unreadableFailure('no JSON') }
      : parseResponse(schema, sent);
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

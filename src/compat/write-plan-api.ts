import type { z } from 'zod';
import { apiErrorSchema, type ApiErrorCode } from '../contracts/http/errors.ts';
import { fieldsOf } from '../contracts/values/unchecked-value.ts';

/**
 * Time in milliseconds after which a call fails. A commit of 10 MB takes less, and a gateway that does not respond must
 * not hold up its caller for ever.
 */
const TIMEOUT_MS = 60_000;

/** The gateway that a write plan is sent to, and the project and key to send it with. */
export interface WritePlanOptions {
  /** Base URL of the gateway, such as `http://127.0.0.1:5000`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Id of the project, which is `default` if absent. */
  readonly projectId?: string;
  readonly fetch?: typeof fetch;
}

/**
 * A refusal of the API, or of a plan before it is sent. `message` is the text of the refusal. A reason in its details
 * replaces this text, or follows it (`CONTRACT_TEXT_CODES`).
 */
export class WritePlanError extends Error {
  override readonly name = 'WritePlanError';
  readonly code: ApiErrorCode;

  constructor(code: ApiErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Calls `/api/write-session/<path>` and resolves to the parsed answer. Rejects with WritePlanError when the API
 * refuses, with what `fetch` or the body of its response rejects with, and with SyntaxError or ZodError for a body of
 * unexpected form.
 */
export type CallWriteSession = <T>(
  answer: z.ZodType<T>,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
) => Promise<T>;

/** Returns a function that calls the write-session routes of a gateway over `fetch`, with a deadline for each call. */
export const createWriteSessionCall =
  ({ baseUrl, apiKey, fetch: request = fetch }: WritePlanOptions): CallWriteSession =>
  async (answer, method, path, body) => {
    const response = await request(`${baseUrl}/api/write-session/${path}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const data: unknown = await response.json();
    if (!response.ok) throw planError(data);
    return answer.parse(data);
  };

const planError = (data: unknown): WritePlanError => {
  const { code, error, details } = apiErrorSchema.parse(data);
  const { reason } = fieldsOf(details);
  if (typeof reason !== 'string') return new WritePlanError(code, error);
  return new WritePlanError(code, CONTRACT_TEXT_CODES.has(code) ? `${error} ${reason}` : reason);
};

/** Codes of refusals whose text clients rely on. The reason therefore follows the text instead of replacing it. */
const CONTRACT_TEXT_CODES: ReadonlySet<string> = new Set(['session_conflict', 'session_not_found']);

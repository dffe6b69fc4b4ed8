import type { z } from 'zod';
import { apiErrorSchema, type ApiErrorCode } from '../contracts/http/errors.ts';
import { fieldsOf } from '../contracts/values/record.ts';

/** A commit of 10 MB takes less; a gateway that does not answer must not hold its caller for ever. */
const TIMEOUT_MS = 60_000;

export interface WritePlanOptions {
  /** Base URL of the gateway, such as `http://127.0.0.1:5000`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Id of the project, which is `default` if absent. */
  readonly projectId?: string;
  readonly fetch?: typeof fetch;
}

/** A refusal of the API. `message` is its text or, for a failed write, the reason. */
export class WritePlanError extends Error {
  override readonly name = 'WritePlanError';
  readonly code: ApiErrorCode;

  constructor(code: ApiErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Calls `/api/write-session/<path>`; resolves to the parsed answer, throws WritePlanError or what `fetch` throws. */
export type CallWriteSession = <T>(
  answer: z.ZodType<T>,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
) => Promise<T>;

/** Calls of a gateway's write-session routes over `fetch`, each with a deadline. */
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
  return new WritePlanError(code, CONTRACT_TEXTS.has(code) ? `${error} ${reason}` : reason);
};

/** Refusals whose text clients rely on. The reason says what is in the way, or that there never was a session. */
const CONTRACT_TEXTS: ReadonlySet<string> = new Set(['session_conflict', 'session_not_found']);

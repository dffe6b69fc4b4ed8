import { z } from 'zod';
import type { ApiErrorBody } from '../../contracts/http/errors.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { fieldsOf } from '../../contracts/values/unchecked-value.ts';

/**
 * Thrown when no response came, because nothing listens or the connection broke. The request may have been carried out.
 */
export class GatewayUnreachableError extends Error {
  override readonly name = 'GatewayUnreachableError';

  constructor(url: string, cause: unknown) {
    super(`No answer from ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/** Thrown when the gateway answered with an error (docs/http-api.md), or with something that is not in its format. */
export class GatewayRefusedError extends Error {
  override readonly name = 'GatewayRefusedError';
  readonly status: number;
  /** A stable code, or `unexpected_answer` when the response is not in the gateway's format. */
  readonly code: string;
  readonly details: ApiErrorBody['details'];

  constructor(status: number, { error, code, details }: RefusalBody) {
    super(error);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

const refusalSchema = z.object({ error: z.string(), code: z.string(), details: z.json().optional() });
type RefusalBody = z.infer<typeof refusalSchema>;

/**
 * Returns the error in an unsuccessful response, with the code `unexpected_answer` if its body is not in the gateway's
 * format.
 */
export const readRefusalError = async (response: Response): Promise<GatewayRefusedError> => {
  const parsed = refusalSchema.safeParse(parseJson(await response.text()));
  if (parsed.success) return new GatewayRefusedError(response.status, parsed.data);
  const error = `${response.url} answered ${response.status}, not in the language of an Orion gateway.`;
  return new GatewayRefusedError(response.status, { error, code: 'unexpected_answer' });
};

/** Returns the reason of a failed `fetch`, such as ECONNREFUSED, which is in the cause of its TypeError. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
};

/** Returns a text field of an error's details, such as `turnId` or `stage`, or undefined if there is no such text. */
export const detailOf = (error: GatewayRefusedError, name: string): string | undefined => {
  const value = fieldsOf(error.details)[name];
  return typeof value === 'string' ? value : undefined;
};

import { APIConnectionError, APIError } from 'openai';
import { KEY_SHAPES } from '../base/text/key-shapes.ts';
import { fieldsOf, stringOrEmpty } from '../contracts/values/unchecked-value.ts';
import type { ErrorFrame } from './completion-chunk.ts';
import { ProviderError, providerUnavailableError, rootMessage } from './provider-error.ts';
import { classifyRefusal } from './refusal-rules.ts';

/** The connection to a provider, as far as texts of failures depend on it. */
export interface ProviderAddress {
  readonly baseUrl: string;
  /** The provider's key, which texts of failures must not contain. */
  readonly apiKey: string | undefined;
}

/** Returns the failure that an error of the openai client means. Returns undefined for any other error. */
export const requestFailure = (error: unknown, address: ProviderAddress): ProviderError | undefined => {
  if (error instanceof APIConnectionError) {
    const detail = providerText(rootMessage(error), address.apiKey);
    return providerUnavailableError(
      `Cannot reach the model provider at ${originOf(address.baseUrl)}: ${detail}`,
    );
  }
  if (!isApiError(error)) return undefined;
  return failureOfRefusal(
    { status: error.status, body: error.error, message: error.message },
    error.headers,
    address,
  );
};

// With a plain `instanceof`, the type parameters of the class would be `any`.
const isApiError = (error: unknown): error is APIError => error instanceof APIError;

/** Returns the failure that an error frame inside a stream reports. */
export const frameFailure = ({ error }: ErrorFrame, address: ProviderAddress): ProviderError => {
  const message = typeof error === 'string' ? error : '';
  return failureOfRefusal({ status: undefined, body: error, message }, undefined, address);
};

interface RefusedResponse {
  readonly status: number | undefined;
  /** The error object of the response. Undefined if there was none. */
  readonly body: unknown;
  /** The text to use when the body has no message. */
  readonly message: string;
}

const failureOfRefusal = (
  response: RefusedResponse,
  headers: Headers | undefined,
  address: ProviderAddress,
): ProviderError => {
  const body = fieldsOf(response.body) as ErrorBody;
  const status = response.status ?? httpStatus(body.code);
  const message = typeof body.message === 'string' ? body.message : response.message;
  const verdict = classifyRefusal({
    status,
    words: `${stringOrEmpty(body.code)} ${stringOrEmpty(body.type)}`,
    message,
  });
  const wait = verdict.isRetryable ? retryAfterMs(headers, Date.now()) : undefined;
  const detail = providerText(message, address.apiKey);
  const number = status === undefined ? '' : ` (HTTP ${status})`;
  return new ProviderError(verdict.code, `${verdict.errorText}${number}${detail ? `: ${detail}` : '.'}`, {
    isRetryable: verdict.isRetryable,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
};

interface ErrorBody {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

/** Returns the status that a body's `code` contains: OpenRouter and vLLM put it there, as a number or as text. */
const httpStatus = (code: unknown): number | undefined => {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
};

/** Returns the origin of the base URL. The path is left out, since it may contain an account's name. */
const originOf = (baseUrl: string): string => URL.parse(baseUrl)?.origin ?? 'the configured address';

const MAX_CHARACTERS = 300;

/**
 * Length in characters below which a configured key is taken for a placeholder such as "x", which servers without keys
 * are given. It is no secret, and replacing it would tear words apart.
 */
const MIN_KEY_CHARACTERS = 4;

/** Shapes of bearer tokens, and of the parts of a refused key that providers quote. */
const QUOTED_KEYS = /\b(?:sk|pk|gsk|xai|key)[-_][\w*.…-]{4,}|\bBearer\s+\S+/gi;

/**
 * Returns the part of a provider's message that is fit for an error text: one line, bounded, without keys. Empty for an
 * HTML page, which proxies send in place of an error.
 */
export const providerText = (message: string, apiKey: string | undefined): string => {
  const line = withoutKey(message, apiKey)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  if (/<(!doctype|html|head|body)\b/i.test(line)) return '';
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…` : line;
};

const withoutKey = (message: string, apiKey: string | undefined): string => {
  const own = apiKey && apiKey.length >= MIN_KEY_CHARACTERS ? message.replaceAll(apiKey, '[key]') : message;
  return [QUOTED_KEYS, ...KEY_SHAPES].reduce((text, shape) => text.replaceAll(shape, '[key]'), own);
};

/**
 * Returns the time that the provider asks its clients to wait, in milliseconds: `retry-after-ms`, otherwise
 * `Retry-After` in seconds or as an HTTP date (RFC 9110 section 10.2.3). Returns undefined when neither is present and
 * readable. `now` is in milliseconds since 1970.
 */
export const retryAfterMs = (headers: Headers | undefined, now: number): number | undefined => {
  const precise = headers?.get('retry-after-ms')?.trim();
  if (precise && isNumeric(precise)) return Math.round(Number(precise));
  const value = headers?.get('retry-after')?.trim();
  if (!value) return undefined;
  if (isNumeric(value)) return Math.round(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

const isNumeric = (text: string): boolean => /^\d{1,9}(\.\d+)?$/.test(text);

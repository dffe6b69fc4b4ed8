import { APIConnectionError, APIError } from 'openai';
import type { ErrorFrame } from './completion-chunk.ts';
import { ModelFailure, unavailable } from './model-failure.ts';
import { providerText } from './provider-text.ts';
import { judge } from './refusal-rules.ts';
import { retryAfterMs } from './retry-after.ts';
import { rootMessage } from './root-message.ts';

/** What the texts of failures need to know of the connection. */
export interface ProviderAddress {
  readonly baseUrl: string;
  /** Never part of a text. */
  readonly apiKey: string | undefined;
}

/** Failures of the request itself as the openai client throws them; undefined for anything else (a defect). */
export function requestFailure(error: unknown, address: ProviderAddress): ModelFailure | undefined {
  if (error instanceof APIConnectionError) {
    const why = providerText(rootMessage(error), address.apiKey);
    return unavailable(`Cannot reach the model provider at ${originOf(address.baseUrl)}: ${why}`);
  }
  if (!isApiError(error)) return undefined;
  return refused({ status: error.status, body: error.error, message: error.message }, error.headers, address);
}

// `instanceof` alone would make the class's type parameters `any`.
const isApiError = (error: unknown): error is APIError => error instanceof APIError;

/** The failure that an error frame inside a stream reports. */
export function frameFailure({ error }: ErrorFrame, address: ProviderAddress): ModelFailure {
  const message = typeof error === 'string' ? error : '';
  return refused({ status: undefined, body: error, message }, undefined, address);
}

interface Answer {
  readonly status: number | undefined;
  /** The error object of the answer, if it had one. */
  readonly body: unknown;
  /** Used when the body has no message. */
  readonly message: string;
}

function refused(answer: Answer, headers: Headers | undefined, address: ProviderAddress): ModelFailure {
  const body = (typeof answer.body === 'object' && answer.body !== null ? answer.body : {}) as ErrorBody;
  const status = answer.status ?? httpStatus(body.code);
  const message = typeof body.message === 'string' ? body.message : answer.message;
  const verdict = judge({ status, words: `${text(body.code)} ${text(body.type)}`, message });
  const wait = verdict.retryable ? retryAfterMs(headers, Date.now()) : undefined;
  const detail = providerText(message, address.apiKey);
  const number = status === undefined ? '' : ` (HTTP ${status})`;
  return new ModelFailure(verdict.code, `${verdict.says}${number}${detail ? `: ${detail}` : '.'}`, {
    retryable: verdict.retryable,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

interface ErrorBody {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** OpenRouter and vLLM put the status into `code`, as a number or as text. */
function httpStatus(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

/** Without the path, which may hold an account's name. */
const originOf = (baseUrl: string): string => URL.parse(baseUrl)?.origin ?? 'the configured address';

import type { TurnErrorCode } from '../contracts/wire/turn-event.ts';

/** What is known of a refusal, whether it came as a status or as a frame in mid-stream. */
export interface ProviderRefusal {
  /** HTTP status, or the number that a frame gave as `code`. Undefined if there was neither. */
  readonly status: number | undefined;
  /** `code` and `type` of the error body, separated by a blank. */
  readonly words: string;
  readonly message: string;
}

interface RefusalVerdict {
  readonly code: TurnErrorCode;
  readonly isRetryable: boolean;
  /** First part of the error text. */
  readonly errorText: string;
}

interface RefusalRule extends RefusalVerdict {
  readonly appliesTo: (refusal: ProviderRefusal) => boolean;
}

const TOO_LONG = new RegExp(
  [
    'maximum context length',
    'context[ _](length|window|size)',
    'context_length_exceeded',
    'prompt is too long',
    'input is too long',
    'input token count',
    'reduce the length of the messages',
  ].join('|'),
  'i',
);

const hasStatus =
  (...numbers: number[]) =>
  (refusal: ProviderRefusal) =>
    refusal.status !== undefined && numbers.includes(refusal.status);
const hasWords = (pattern: RegExp) => (refusal: ProviderRefusal) => pattern.test(refusal.words);

/**
 * The first rule that applies counts. docs/http-api.md has the texts of the codes, docs/turns.md "turnWorkflow" their
 * retries.
 */
const RULES: readonly RefusalRule[] = [
  {
    appliesTo: (refusal) => hasStatus(402)(refusal) || hasWords(/insufficient_quota|billing/)(refusal),
    code: 'model_rate_limited',
    isRetryable: false,
    errorText: 'The account at the model provider has no quota left',
  },
  {
    appliesTo: (refusal) => hasStatus(429)(refusal) || (!refusal.status && hasWords(/rate_limit/)(refusal)),
    code: 'model_rate_limited',
    isRetryable: true,
    errorText: 'The model provider limits the rate of requests',
  },
  {
    appliesTo: (refusal) => hasStatus(413)(refusal) || isTooLong(refusal),
    code: 'model_context_length',
    isRetryable: false,
    errorText: 'The conversation is too long for the model',
  },
  {
    appliesTo: (refusal) =>
      hasStatus(401, 403)(refusal) ||
      (!refusal.status && hasWords(/api_key|authentication|permission/)(refusal)),
    code: 'model_auth',
    isRetryable: false,
    errorText: 'The model provider refused access',
  },
  {
    // Request timeout, conflict and too early: passing states by their definition in RFC 9110 and 8470.
    appliesTo: hasStatus(408, 409, 425),
    code: 'model_unavailable',
    isRetryable: true,
    errorText: 'The model provider is not available',
  },
  {
    appliesTo: (refusal) =>
      refusal.status === undefined
        ? hasWords(/invalid_request|bad_?request|not_found/i)(refusal)
        : refusal.status < 500,
    code: 'model_bad_request',
    isRetryable: false,
    errorText: 'The model provider refused the request',
  },
];

const UNKNOWN_FAILURE: RefusalVerdict = {
  code: 'model_unavailable',
  isRetryable: true,
  errorText: 'The model provider is not available',
};

const isTooLong = (refusal: ProviderRefusal): boolean => TOO_LONG.test(`${refusal.words} ${refusal.message}`);

/** Returns what a refusal means for the turn. An unknown refusal is tried again. */
export const classifyRefusal = (refusal: ProviderRefusal): RefusalVerdict =>
  RULES.find(({ appliesTo }) => appliesTo(refusal)) ?? UNKNOWN_FAILURE;

import type { TurnErrorCode } from '../contracts/wire/turn-event.ts';

interface ProviderErrorOptions {
  readonly isRetryable: boolean;
  /** Time in milliseconds that the provider asks its clients to wait. Absent if it names none. */
  readonly retryAfterMs?: number;
}

/** A model call that failed. The message is safe to show: bounded, and free of the API key. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: TurnErrorCode;
  /** True when the same request may succeed later. */
  readonly isRetryable: boolean;
  readonly retryAfterMs?: number;

  constructor(code: TurnErrorCode, message: string, options: ProviderErrorOptions) {
    super(message);
    this.code = code;
    this.isRetryable = options.isRetryable;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * Returns the failure of a provider that could not be reached or did not finish its answer; another attempt may
 * succeed.
 */
export const providerUnavailableError = (message: string): ProviderError =>
  new ProviderError('model_unavailable', message, { isRetryable: true });

interface ErrorLike {
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Causes of an AggregateError, one for each address that was tried. */
  readonly errors?: readonly unknown[];
}

/**
 * Returns the message of an error's innermost cause, which says what happened (`connect ECONNREFUSED …`). The outer
 * messages say only that something did.
 */
export const rootMessage = (error: unknown): string => {
  if (!isObject(error)) return String(error);
  const inner = isObject(error.cause) ? error.cause : error.errors?.find(isObject);
  return inner ? rootMessage(inner) : String(error.message);
};

const isObject = (value: unknown): value is ErrorLike => typeof value === 'object' && value !== null;

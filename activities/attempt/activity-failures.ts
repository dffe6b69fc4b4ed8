import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { TURN_SUPERSEDED } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ProviderError } from '../../src/llm/provider-error.ts';

/**
 * Returns the failure of an attempt that may not act, for example because its workflow was reset in the Web UI or
 * another process has closed its row (docs/events.md). Temporal does not retry it.
 */
export const turnSupersededFailure = (reason: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`turn superseded: ${reason}`, TURN_SUPERSEDED);

/**
 * Runs `close`, which ends the row of a workflow and throws an `UnknownRowError` if there is no such row, for example
 * because somebody started the workflow by hand. Its activity must not be retried for ever, so an `UnknownRowError`
 * becomes `turnSupersededFailure`.
 */
export const closeOrSupersede = async <T>(
  UnknownRowError: abstract new (...args: never[]) => Error,
  close: () => Promise<T>,
): Promise<T> => {
  try {
    return await close();
  } catch (error) {
    if (error instanceof UnknownRowError) throw turnSupersededFailure(error.message);
    throw error;
  }
};

/**
 * Returns the failure of an attempt after which a later attempt of the same step has begun. Nothing waits for the
 * result of the earlier attempt any longer.
 */
export const attemptSupersededFailure = (): CancelledFailure =>
  new CancelledFailure('a later attempt has begun');

/**
 * Returns the failure of an attempt whose provider failed in a way that may pass, so that Temporal repeats the attempt.
 * If the provider sent Retry-After, the next attempt waits that long, otherwise as long as the retry policy says.
 */
export const providerFailure = (failure: ProviderError): ApplicationFailure =>
  ApplicationFailure.create({
    message: failure.message,
    type: failure.code,
    nonRetryable: false,
    // The server takes a delay of 0 for "do not retry".
    ...(failure.retryAfterMs !== undefined && { nextRetryDelay: Math.max(1, failure.retryAfterMs) }),
  });

/**
 * Returns the failure of an attempt that a worker shutdown, a pause, a reset or a timeout has interrupted. The next
 * attempt begins after 1 ms, the shortest delay, since 0 means no retry.
 */
export const attemptInterruptedFailure = (): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'the attempt was interrupted',
    type: 'attempt_interrupted',
    nonRetryable: false,
    nextRetryDelay: 1,
  });

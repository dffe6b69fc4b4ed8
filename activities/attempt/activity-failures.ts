import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { TURN_SUPERSEDED } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ModelFailure } from '../../src/llm/model-failure.ts';

/**
 * Returns the failure of an attempt whose run may not act: it was reset in the Web UI, or closed by somebody else
 * (docs/events.md).
 */
export const turnSuperseded = (why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`turn superseded: ${why}`, TURN_SUPERSEDED);

/**
 * Runs `close`, which ends a row and throws an `Unknown` if there is none. A workflow without a row was started by hand
 * and must not retry for ever, so this is thrown as `turnSuperseded`.
 */
export const closeRow = async <T>(
  Unknown: abstract new (...args: never[]) => Error,
  close: () => Promise<T>,
): Promise<T> => {
  try {
    return await close();
  } catch (error) {
    if (error instanceof Unknown) throw turnSuperseded(error.message);
    throw error;
  }
};

/**
 * Returns the failure of an attempt after which a later one of the same step has begun, so that nothing waits for this
 * one's answer any longer.
 */
export const attemptSuperseded = (): CancelledFailure => new CancelledFailure('a later attempt has begun');

/**
 * Returns the failure of an attempt that met a passing failure of the provider: Temporal repeats the attempt, after
 * Retry-After when it named one.
 */
export const providerFailure = (failure: ModelFailure): ApplicationFailure =>
  ApplicationFailure.create({
    message: failure.message,
    type: failure.code,
    nonRetryable: false,
    // The server takes a delay of 0 for "do not retry".
    ...(failure.retryAfterMs === undefined ? {} : { nextRetryDelay: Math.max(1, failure.retryAfterMs) }),
  });

/**
 * Returns the failure of an attempt that a worker shutdown, a pause, a reset or a timeout has ended: the next attempt
 * may begin at once.
 */
export const attemptInterrupted = (): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'the attempt was interrupted',
    type: 'attempt_interrupted',
    nonRetryable: false,
    nextRetryDelay: 1,
  });

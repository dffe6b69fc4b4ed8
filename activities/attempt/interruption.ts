import { Context } from '@temporalio/activity';

/**
 * Reports whether something other than a requested cancel has interrupted the activity: a worker shutdown, a pause, a
 * reset, a timeout or the end of its workflow. Callers must then throw `attemptInterruptedFailure`, because an
 * AbortError would be reported as a cancel, which Temporal refuses if nobody requested a cancel.
 */
export const isInterrupted = (): boolean => {
  const { cancellationSignal, cancellationDetails } = Context.current();
  return cancellationSignal.aborted && cancellationDetails?.cancelRequested !== true;
};

import { QueryNotRegisteredError } from '@temporalio/client';

/** Begins the message with which the workflow SDK fails a query that has no handler. */
const NO_HANDLER = 'Workflow did not register a handler for ';

/**
 * Reports whether a query failed because the workflow has no handler for it, as in a worker of an earlier release. The
 * SDK throws the same class of error for every query that fails. Never throws.
 */
export const isQueryUnknown = (error: unknown): boolean =>
  error instanceof QueryNotRegisteredError && error.message.startsWith(NO_HANDLER);

import { setTimeout as delay } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';
import { TASK_NOT_ENDED } from '../contracts/payload/early-queries.ts';

/**
 * Milliseconds between two queries. Temporal holds the second one back until the task has run, so the pause matters
 * only if the second query comes too early as well.
 */
const PAUSE_MS = 20;

/**
 * Queries a running workflow, and queries it again as long as the query comes too early
 * (docs/decisions/queries-wait-for-tasks.md). `query` needs a deadline or a signal that ends it. Rejects with any other
 * failure.
 */
export const queryOnceTaskEnded = async <T>(query: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await query();
    } catch (error) {
      if (!isTaskNotEnded(error)) throw error;
      await delay(PAUSE_MS);
    }
  }
};

/** Reports whether a query came too early. The SDK throws the same class of error for every query that fails. */
const isTaskNotEnded = (error: unknown): boolean =>
  error instanceof QueryNotRegisteredError && error.message.includes(TASK_NOT_ENDED);

/** Begins the message with which the workflow SDK fails a query that has no handler. */
const NO_HANDLER = 'Workflow did not register a handler for ';

/**
 * Reports whether a query failed because the workflow has no handler for it, as in a worker of an earlier release. The
 * SDK throws the same class of error for every query that fails. Never throws.
 */
export const isQueryUnknown = (error: unknown): boolean =>
  error instanceof QueryNotRegisteredError && error.message.startsWith(NO_HANDLER);

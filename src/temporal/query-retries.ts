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

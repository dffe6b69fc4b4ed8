import { setTimeout as delay } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';
import { TASK_NOT_ENDED } from '../contracts/payload/early-queries.ts';

/** Temporal keeps the next query until the task has run; this pause only matters should the same happen again. */
const PAUSE_MS = 20;

/**
 * Asks a running workflow, and again where the query came too early (docs/decisions/queries-wait-for-tasks.md). `query`
 * needs a deadline or a signal that ends it.
 */
export const untilTaskEnded = async <T>(query: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await query();
    } catch (error) {
      if (!isTaskNotEnded(error)) throw error;
      await delay(PAUSE_MS);
    }
  }
};

/** The SDK throws this one error for every query that fails. */
const isTaskNotEnded = (error: unknown): boolean =>
  error instanceof QueryNotRegisteredError && error.message.includes(TASK_NOT_ENDED);

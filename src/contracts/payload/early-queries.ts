/**
 * The message that refuses a query because its answer would contain events of a workflow task that has not ended. The
 * workflow may still produce them differently (docs/decisions/queries-wait-for-tasks.md).
 */
export const TASK_NOT_ENDED = 'The next workflow task has not ended. Ask again.';

/**
 * The last argument of a query whose caller knows that the workflow is closed. No task will start any longer, so there
 * is nothing to wait for.
 */
export const QUERY_OF_CLOSED = 'closed';

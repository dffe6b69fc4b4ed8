/** The message that refuses a query which would be answered from events of a workflow task that has not ended. */
export const TASK_NOT_ENDED = 'The next workflow task has not ended. Ask again.';

/** Last argument of a query by a caller that knows that the workflow is closed: no task will start any longer. */
export const QUERY_OF_CLOSED = 'closed';

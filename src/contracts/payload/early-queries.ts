/** What a query is refused with that would be answered from events of a workflow task that has not started. */
export const TASK_NOT_STARTED = 'The next workflow task has not started. Ask again.';

/** Last argument of a query whose asker knows that the workflow is closed: no task will start any more. */
export const OF_CLOSED = 'closed';

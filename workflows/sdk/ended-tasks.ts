/*
 * Interceptors of every workflow (docs/decisions/queries-wait-for-tasks.md). The SDK may reach a state from events of a
 * workflow task that has not started. No query for events is answered, and nothing is done, from such a state.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';
import { eventsSinceQuery } from '../../src/temporal/turn-messages.ts';
import { QUERY_OF_CLOSED, TASK_NOT_ENDED } from '../../src/contracts/payload/early-queries.ts';

type Activation = ActivateInput['activation'];
type Query = NonNullable<NonNullable<Activation['jobs']>[number]['queryWorkflow']>;

/** Returns the interceptors of a workflow. The SDK calls this once for each workflow that it loads. */
export const interceptors = (): WorkflowInterceptors => {
  const tasks = new EndedTasks();
  return {
    internals: [
      {
        activate: (input, next) => {
          // The SDK may split an activation into parts. All of them belong to the same task, so only the first is
          // checked.
          if (input.batchIndex === 0) tasks.check(input.activation);
          next(input);
        },
      },
    ],
  };
};

/** Watches the activations of one workflow, in their order. */
class EndedTasks {
  #events = 0;
  /** Identifies the last task that has started, by its time and the history size that it brought. */
  #task = '';
  /** True when the last events belong to a task that has not started. */
  #isAhead = false;
  /** True when all tasks so far were replayed, and have thus ended. */
  #isReplayed = false;
  /**
   * True when the workflow was loaded up to a task that has started and was not replayed. Another worker may have
   * started this task, and may still lose it.
   */
  #isUnsure = false;

  /**
   * Throws if the workflow would continue, or answer a query for events, from events of a task that has not started.
   * Also throws if it would answer such a query from a task that may never end. The SDK then drops the workflow, and
   * replays it for the next task or query. A query whose caller knows that the workflow is closed is always answered,
   * because a closed workflow has no such task any longer.
   */
  check(activation: Activation): void {
    const { jobs, historyLength, timestamp, historySizeBytes } = activation;
    const queries = jobs?.flatMap(({ queryWorkflow }) => queryWorkflow ?? []) ?? [];
    if (queries.length > 0) {
      if (queries.some((query) => this.#isEarly(query))) throw new Error(TASK_NOT_ENDED);
      return;
    }
    const events = historyLength ?? 0;
    // A task that starts brings another time and another history size. Events without these belong to the next task.
    const task = `${timestamp?.seconds?.toString()}.${timestamp?.nanos} ${historySizeBytes?.toString()}`;
    if (events > this.#events || (task === this.#task && hasNews(activation))) {
      if (this.#isAhead) throw new Error(TASK_NOT_ENDED);
      this.#isAhead = task === this.#task;
      const isReplaying = activation.isReplaying === true;
      this.#isUnsure = this.#isReplayed && !isReplaying;
      this.#isReplayed = isReplaying;
    }
    this.#events = events;
    this.#task = task;
  }

  /**
   * Reports whether a query for events comes too early. In a task that may be lost, this holds only for direct queries,
   * because the answer to a query that is part of the task waits for the end of the task.
   */
  #isEarly(query: Query): boolean {
    if (query.queryType !== eventsSinceQuery.name || isMarkedClosed(query)) return false;
    return this.#isAhead || (this.#isUnsure && query.queryId === DIRECT_QUERY_ID);
  }
}

/**
 * Reports whether an activation brings jobs that come only at the start of a task. Event counts cannot tell: a refused
 * update leaves no task in the history, so the next events get numbers that this worker has already counted.
 */
const hasNews = ({ jobs }: Activation): boolean =>
  jobs?.some((job) => job.signalWorkflow ?? job.fireTimer ?? job.cancelWorkflow) === true;

/** The SDK's id of a query that is not part of a task. */
const DIRECT_QUERY_ID = 'legacy_query';

const isMarkedClosed = ({ arguments: args }: Query): boolean => {
  const last = args?.at(-1);
  return last !== undefined && defaultPayloadConverter.fromPayload(last) === QUERY_OF_CLOSED;
};

/**
 * Interceptors of every workflow (docs/decisions/queries-wait-for-tasks.md): nothing is answered, and nothing done,
 * from a state that the SDK has reached ahead of the workflow task that makes it.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';
import { eventsSinceQuery } from '../../src/temporal/turn-messages.ts';
import { OF_CLOSED, TASK_NOT_ENDED } from '../../src/contracts/payload/early-queries.ts';

type Activation = ActivateInput['activation'];
type Query = NonNullable<NonNullable<Activation['jobs']>[number]['queryWorkflow']>;

/** The SDK calls this once for each workflow that it loads. */
export const interceptors = (): WorkflowInterceptors => {
  const tasks = new EndedTasks();
  return {
    internals: [
      {
        activate: (input, next) => {
          // The second part of an activation that the SDK takes in two.
          if (input.batchIndex === 0) tasks.check(input.activation);
          next(input);
        },
      },
    ],
  };
};

/** Activations of one workflow, in their order. */
class EndedTasks {
  #events = 0;
  /** Of the last task that has started: its time and the size of the history that it brought. */
  #task = '';
  /** The last events are of a task that has not started. */
  #isAhead = false;
  /** All tasks so far were replayed, and have thus ended. */
  #isReplayed = false;
  /** Loaded up to a task that has started: this worker's, or one that another worker may still lose. */
  #isUnsure = false;

  /**
   * Throws where the workflow is to answer or go on from events of a task that had not started, or answer from one that
   * may not end: the SDK then drops the workflow, and replays it for whoever comes next. A closed workflow has no such
   * task any more, and answers whoever knows that it is closed.
   */
  check(activation: Activation): void {
    const { jobs, historyLength, timestamp, historySizeBytes } = activation;
    const queries = jobs?.flatMap(({ queryWorkflow }) => queryWorkflow ?? []) ?? [];
    if (queries.length > 0) {
      if (queries.some((query) => this.#isEarly(query))) throw new Error(TASK_NOT_ENDED);
      return;
    }
    const events = historyLength ?? 0;
    // A task that starts brings its own time, and a longer history: events without either are those of the next one.
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

  /** Of the queries that show events. Those that are part of a task wait for its end anyway. */
  #isEarly(query: Query): boolean {
    if (query.queryType !== eventsSinceQuery.name || knowsItClosed(query)) return false;
    return this.#isAhead || (this.#isUnsure && query.queryId === DIRECT);
  }
}

/**
 * What comes with its task, and never later in it. Their number does not tell: an update that is refused leaves no task
 * in the history, and the next two events have the numbers that its task had here.
 */
const hasNews = ({ jobs }: Activation): boolean =>
  jobs?.some((job) => job.signalWorkflow ?? job.fireTimer ?? job.cancelWorkflow) === true;

/** The SDK's id of a query that is no part of a task. */
const DIRECT = 'legacy_query';

const knowsItClosed = ({ arguments: args }: Query): boolean => {
  const last = args?.at(-1);
  return last !== undefined && defaultPayloadConverter.fromPayload(last) === OF_CLOSED;
};

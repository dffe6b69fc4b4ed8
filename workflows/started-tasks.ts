/**
 * Interceptors of every workflow (docs/decisions/queries-wait-for-tasks.md): nothing is answered, and nothing done,
 * from a state that the SDK has reached ahead of the workflow task that makes it.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';
import { OF_CLOSED, TASK_NOT_STARTED } from '../src/contracts/payload/early-queries.ts';

type Activation = ActivateInput['activation'];
type Job = NonNullable<Activation['jobs']>[number];

/** The SDK calls this once for each workflow that it loads. */
export const interceptors = (): WorkflowInterceptors => {
  const tasks = new StartedTasks();
  return {
    internals: [
      {
        activate: (input, next) => {
          tasks.check(input.activation);
          next(input);
        },
      },
    ],
  };
};

/** Activations of one workflow, in their order. */
class StartedTasks {
  #events = 0;
  /** Of the last task that has started: its time and the size of the history that it brought. */
  #task = '';
  #isAhead = false;

  /**
   * Throws where the workflow is to answer or go on from events of a task that had not started: the SDK then drops the
   * workflow, and replays it for whoever comes next. A closed workflow has no such task any more, and answers whoever
   * knows that it is closed.
   */
  check({ jobs, historyLength, timestamp, historySizeBytes }: Activation): void {
    if (jobs?.some(isQuery)) {
      if (this.#isAhead && !jobs.every(knowsItClosed)) throw new Error(TASK_NOT_STARTED);
      return;
    }
    const events = historyLength ?? 0;
    // A task that starts brings its own time, and a longer history: events without either are those of the next one.
    const task = `${timestamp?.seconds?.toString()}.${timestamp?.nanos} ${historySizeBytes?.toString()}`;
    if (events > this.#events) {
      if (this.#isAhead) throw new Error(TASK_NOT_STARTED);
      this.#isAhead = task === this.#task;
    }
    this.#events = events;
    this.#task = task;
  }
}

const isQuery = ({ queryWorkflow }: Job): boolean => Boolean(queryWorkflow);

const knowsItClosed = ({ queryWorkflow }: Job): boolean => {
  const last = queryWorkflow?.arguments?.at(-1);
  return last !== undefined && defaultPayloadConverter.fromPayload(last) === OF_CLOSED;
};

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import { turnWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { appendEventsSignal } from '../../src/temporal/turn-messages.ts';

/**
 * Signals events to a turn's workflow. Resolves to `gone` if the workflow is closed or unknown. Rejects if Temporal
 * does not answer, or refuses the signal for another reason.
 */
export type AppendEvents = (turn: TurnActivityInput, batches: EventBatch[]) => Promise<'stored' | 'gone'>;

/**
 * Milliseconds that Temporal may take to answer a signal. After that, the durable writer sends the same events again,
 * and readers ignore the repeat.
 */
const SIGNAL_DEADLINE_MS = 5_000;

/**
 * Creates the function that signals events to the workflow of a turn. A run that somebody else started under the same
 * workflow id does not receive them. A signal rejects after `SIGNAL_DEADLINE_MS` without an answer.
 */
export const createAppendEvents =
  (client: Client): AppendEvents =>
  async ({ turnId, firstExecutionRunId }, batches) => {
    const handle = client.workflow.getHandle(turnWorkflowId(turnId), undefined, { firstExecutionRunId });
    try {
      await client.withDeadline(Date.now() + SIGNAL_DEADLINE_MS, () =>
        handle.signal(appendEventsSignal, batches),
      );
      return 'stored';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'gone';
      throw error;
    }
  };

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import { turnWorkflowId } from '../../src/contracts/values/ids.ts';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { appendEventsSignal } from '../../src/temporal/turn-messages.ts';

/** Signals a turn's workflow; `gone` when it is closed. Throws while Temporal cannot be reached. */
export type AppendEvents = (turn: TurnActivityInput, batches: EventBatch[]) => Promise<'stored' | 'gone'>;

/** A signal that Temporal does not answer is sent again by the durable writer; readers ignore the repeat. */
const SIGNAL_DEADLINE_MS = 5_000;

/** Signals events to the workflow of their turn, and only to that run; each signal has 5 s, and throws after them. */
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

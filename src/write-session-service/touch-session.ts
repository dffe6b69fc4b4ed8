import { WorkflowNotFoundError } from '@temporalio/client';
import { writeSessionWorkflowId } from '../contracts/write-session.ts';
import type { SessionTouch } from '../contracts/write-session.ts';
import { touchSignal } from '../temporal/write-session-messages.ts';
import type { SessionDeps } from './session-deps.ts';

const SIGNAL_DEADLINE_MS = 1_600;

/** A session that has ended has no use for it. */
export const touchSession = async (
  { client }: SessionDeps,
  sessionId: string,
  touch: SessionTouch,
): Promise<void> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  try {
    await client.withDeadline(Date.now() + SIGNAL_DEADLINE_MS, () => handle.signal(touchSignal, touch));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
};

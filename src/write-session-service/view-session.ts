import { QueryRejectedError, WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import { writeSessionWorkflowId } from '../contracts/write-session.ts';
import type { SessionStatus } from '../contracts/write-session.ts';
import { askWorker } from '../temporal/ask-worker.ts';
import { sessionStatusQuery } from '../temporal/write-session-messages.ts';
import { reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';
import type { SessionView } from './write-sessions.ts';

const QUERY_DEADLINE_MS = 1_600;

/** The row, with what the workflow says while that is open. */
export const viewSession = async (deps: SessionDeps, sessionId: string): Promise<SessionView | undefined> => {
  const row = await deps.repository.find(sessionId);
  if (!row || row.state === 'ended') return row && { row };
  const status = await queryStatus(deps, sessionId);
  if (status) return { row, status };
  if ((await reconcileSession(deps, row)) === 'open') {
    const later = await queryStatus(deps, sessionId);
    if (later) return { row, status: later };
  }
  return { row: (await deps.repository.find(sessionId)) ?? row };
};

/** Undefined when the workflow is not open: what a terminated one still answers is not so any more. */
const queryStatus = async (
  { client }: SessionDeps,
  sessionId: string,
): Promise<SessionStatus | undefined> => {
  const open = new WorkflowClient({
    connection: client.connection,
    namespace: client.options.namespace,
    queryRejectCondition: 'NOT_OPEN',
  });
  try {
    return await askWorker(client, QUERY_DEADLINE_MS, () =>
      open.getHandle(writeSessionWorkflowId(sessionId)).query(sessionStatusQuery),
    );
  } catch (error) {
    if (error instanceof QueryRejectedError || error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
};

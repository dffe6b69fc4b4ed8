import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { turnWorkflowId } from '../../contracts/values/workflow-ids.ts';
import { callWithDeadline } from '../../temporal/call-deadline.ts';
import { cancelTurnSignal, turnStatusQuery } from '../../temporal/turn-messages.ts';
import { isDatabaseUnavailable } from '../../db/connection/database-unavailable.ts';
import { fullContentOf, mergeBatches } from '../../protocol/event-log/event-log.ts';
import { queryAllEvents } from '../../turn-service/query-events.ts';
import { ensureTurnRuns, type ReconcileDeps } from '../../turn-service/reconcile.ts';
import type { TurnCanceller } from '../ports/turn-controls.ts';
import type { TurnReader } from '../ports/turn-views.ts';

/**
 * Milliseconds that a worker has to say how far a turn is. A status page must not wait longer for a busy worker, since
 * the row says enough.
 */
const STATUS_DEADLINE_MS = 500;

/**
 * Creates the port that cancels turns. A cancel notes in the turn's row which client asks, and then signals the
 * workflow. It rejects when Temporal does not take the signal within `TEMPORAL_CALL_MS`.
 */
export const createTurnCanceller = (deps: ReconcileDeps): TurnCanceller => ({
  cancel: async (turnId, by) => {
    // Noted before the signal, because a reader that sees the turn's end asks at once which client has cancelled. The
    // signal matters more, so it is sent even if Postgres is away.
    await deps.turns.recordCanceller(turnId, by).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
    if (await signalCancel(deps.client, turnId)) return;
    // Temporal may have been away when the turn was stored. The sweeper would start it later, and it would run.
    if (await ensureTurnRuns(deps, turnId)) await signalCancel(deps.client, turnId);
  },
});

/** Signals the workflow of a turn. Returns false if it has ended, or was not started yet. */
const signalCancel = async (client: Client, turnId: string): Promise<boolean> => {
  const handle = client.workflow.getHandle(turnWorkflowId(turnId));
  try {
    await callWithDeadline(client, () => handle.signal(cancelTurnSignal));
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};

/**
 * Creates the port that reads turns from their rows. The progress of a running turn comes from its workflow, if that
 * answers within half a second.
 */
export const createTurnReader = (
  client: Client,
  turns: Pick<TurnReader, 'find' | 'listRunning'>,
): TurnReader => ({
  find: (turnId) => turns.find(turnId),
  listRunning: (startedBy, protocol) => turns.listRunning(startedBy, protocol),
  readProgress: async (turnId) => {
    const handle = client.workflow.getHandle(turnWorkflowId(turnId));
    const deadline = AbortSignal.timeout(STATUS_DEADLINE_MS);
    const [progress, content] = await Promise.all([
      client.withAbortSignal(deadline, () => handle.query(turnStatusQuery)).catch(() => undefined),
      client.withAbortSignal(deadline, () => queryContentSoFar(client, handle)).catch(() => null),
    ]);
    return progress && { ...progress, phase: progress.phase?.index ?? 0, content };
  },
});

const queryContentSoFar = async (client: Client, handle: WorkflowHandle): Promise<string> =>
  fullContentOf(mergeBatches(await queryAllEvents(client, handle)));

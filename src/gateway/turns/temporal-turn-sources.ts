import { QueryRejectedError, WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import { turnWorkflowId } from '../../contracts/values/workflow-ids.ts';
import { queryPage } from '../../turn-service/query-events.ts';
import { reconcilePolledTurn, type ReconcileDeps } from '../../turn-service/reconcile.ts';
import type { DurablePage, TurnSources } from '../hub/turn-sources.ts';

/**
 * Creates the sources from which the hub reads turns: the workflow of a turn while it is open, and Postgres once the
 * turn has ended.
 */
export const createTurnSources = (deps: ReconcileDeps): TurnSources => {
  const { client } = deps;
  // A closed workflow would still answer queries, but an ended turn must be read from Postgres.
  const openTurns = new WorkflowClient({
    connection: client.connection,
    namespace: client.options.namespace,
    queryRejectCondition: 'NOT_OPEN',
  });
  return {
    queryEvents: async (turnId, from, signal) => {
      const handle = openTurns.getHandle(turnWorkflowId(turnId));
      try {
        return await client.withAbortSignal(signal, () => queryPage(client, handle, from));
      } catch (error) {
        if (error instanceof WorkflowNotFoundError || error instanceof QueryRejectedError) return CLOSED_PAGE;
        throw error;
      }
    },
    findEnded: async (turnId) => {
      const events = await deps.turns.findEvents(turnId);
      return events && { events };
    },
    reconcile: async (turnId) => {
      const row = await deps.turns.find(turnId);
      if (row?.status === 'running') await reconcilePolledTurn(deps, row);
    },
  };
};

const CLOSED_PAGE: DurablePage = { batches: [], more: false, isClosed: true };

import type { Client } from '@temporalio/client';
import { turnWorkflowId } from '../contracts/ids.ts';
import type { TurnRepository } from '../db/turn-repository.ts';
import { queryPage } from '../turns/query-events.ts';
import { reconcileTurn } from '../turns/reconcile.ts';
import type { ReconcileDeps } from '../turns/reconcile.ts';
import type { TurnSources } from './turn-hub.ts';

/** Where the hub reads a turn: the workflow while it runs, Postgres once it has ended. */
export const createTurnSources = (
  deps: ReconcileDeps & { turns: TurnRepository; client: Client },
): TurnSources => ({
  durable: (turnId, from) =>
    queryPage(deps.client, deps.client.workflow.getHandle(turnWorkflowId(turnId)), from),
  ended: async (turnId) => {
    const events = await deps.turns.events(turnId);
    return events && { events };
  },
  reconcile: async (turnId) => {
    const row = await deps.turns.find(turnId);
    if (row?.status === 'running') await reconcileTurn(deps, row);
  },
});

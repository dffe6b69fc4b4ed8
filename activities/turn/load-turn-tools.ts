import { Context } from '@temporalio/activity';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import { turnToolsOf } from '../../src/tools/turn-tools/turn-tools.ts';
import type { Tool } from '../../src/tools/tool.ts';

export interface TurnToolDeps {
  readonly turns: { find(turnId: string): Promise<Pick<TurnRow, 'clientTools'> | undefined> };
}

/**
 * Returns the tools that the turn of an activity has in addition to those of all turns. Tools that its client declared
 * are read from the turn's row.
 */
export const loadTurnTools = async (
  { turns }: TurnToolDeps,
  { turnId, ownTools }: Pick<TurnActivityInput, 'turnId' | 'ownTools'>,
): Promise<readonly Tool[]> => {
  if (ownTools === undefined) return [];
  const { question = false } = ownTools;
  if (!ownTools.client) return turnToolsOf({ mayAskUser: question, client: [] });
  const { cancellationSignal } = Context.current();
  const row = await withDatabaseRetries(() => turns.find(turnId), cancellationSignal);
  return turnToolsOf({ mayAskUser: question, client: row?.clientTools ?? [] });
};

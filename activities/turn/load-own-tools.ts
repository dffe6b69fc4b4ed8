import { Context } from '@temporalio/activity';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import { ownToolsOf } from '../../src/tools/own/own-tools.ts';
import type { Tool } from '../../src/tools/tool.ts';

export interface OwnToolDeps {
  readonly turns: { find(turnId: string): Promise<Pick<TurnRow, 'clientTools'> | undefined> };
}

/**
 * Returns the tools that the turn of an activity has in addition to those of all turns. Tools that its client declared
 * are read from the turn's row.
 */
export const loadOwnTools = async (
  { turns }: OwnToolDeps,
  { turnId, ownTools }: Pick<TurnActivityInput, 'turnId' | 'ownTools'>,
): Promise<readonly Tool[]> => {
  if (ownTools === undefined) return [];
  const { question = false } = ownTools;
  if (!ownTools.client) return ownToolsOf({ mayAskUser: question, client: [] });
  const { cancellationSignal } = Context.current();
  const row = await withDatabaseRetries(() => turns.find(turnId), cancellationSignal);
  return ownToolsOf({ mayAskUser: question, client: row?.clientTools ?? [] });
};

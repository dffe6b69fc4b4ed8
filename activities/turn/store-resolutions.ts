import { Context } from '@temporalio/activity';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { InputRepository } from '../../src/db/inputs/input-repository.ts';
import type { StartNotifications } from '../../src/notifications/start-notifications.ts';

export interface ResolutionDeps {
  readonly inputs: Pick<InputRepository, 'close'>;
  readonly startNotifications: StartNotifications;
}

/**
 * Stores the resolutions that the activity's input carries, and starts their notifications. The workflow decides about
 * requests, and their rows follow it.
 */
export const storeResolutions = async (
  { inputs, startNotifications }: ResolutionDeps,
  { turnId, notifies, resolutions = [] }: Pick<TurnActivityInput, 'turnId' | 'notifies' | 'resolutions'>,
): Promise<void> => {
  if (resolutions.length === 0) return;
  await withDatabaseRetries(() => inputs.close(turnId, resolutions), Context.current().cancellationSignal);
  if (notifies) void startNotifications(turnId);
};

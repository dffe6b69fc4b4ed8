import { Context, log } from '@temporalio/activity';
import { DAY_MS } from '../src/contracts/values/units.ts';
import type { RemovedRows, Retention } from '../src/db/retention/retention.ts';
import type { WriteSessionRepository } from '../src/db/write-sessions/write-session-repository.ts';
import { withHeartbeat, type HeartbeatDeps } from './attempt/heartbeat.ts';

/** The counts of one round of pruning: rows, and files on the disk. */
export interface PruneReport extends RemovedRows {
  /** Number of removed files: unused content and old copies for undo. */
  readonly files: number;
}

/** The side effects of the daily pruning, as its workflow sees them. */
export interface RetentionActivities {
  pruneStorage(): Promise<PruneReport>;
}

export interface PruneStorageDeps extends HeartbeatDeps {
  readonly retention: Retention;
  /** Number of days for which traces, and the stored parts of turns that have ended, are kept. */
  readonly retentionDays: number;
  /**
   * The content store, which decides how long it keeps its files. `kept` are the sessions that wait for a person, whose
   * content must stay longer.
   */
  readonly contents: {
    prune(now: Date, kept: ReadonlySet<string>): Promise<{ readonly removed: number }>;
  };
  readonly repository: Pick<WriteSessionRepository, 'listWithoutSlot'>;
}

/**
 * Creates the activity that removes what need not be kept any longer (docs/storage.md "Retention"). A repeated attempt
 * continues where the one before it ended.
 */
export const createPruneStorage = (deps: PruneStorageDeps) => async (): Promise<PruneReport> => {
  const report = await withHeartbeat(
    deps,
    () => undefined,
    () => prune(deps, Context.current().cancellationSignal),
  );
  log.info('storage pruned', report);
  return report;
};

const prune = async (
  { retention, retentionDays, contents, repository }: PruneStorageDeps,
  signal: AbortSignal,
): Promise<PruneReport> => {
  const now = new Date();
  const before = new Date(now.getTime() - retentionDays * DAY_MS);
  const rows = await retention.prune(before, () => signal.throwIfAborted());
  const { removed: files } = await contents.prune(now, new Set(await repository.listWithoutSlot()));
  return { ...rows, files };
};

import { sql } from 'kysely';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import { expandBatch, fullContentOf } from '../../protocol/event-log/event-log.ts';
import type { Database } from '../connection/database.ts';

/** The events that model attempts of a turn have written, by epoch. */
export interface SegmentRepository {
  /**
   * Stores what a model attempt wrote under its epoch. The same epoch again changes nothing. Nothing is added once the
   * turn has ended: its list, and the text that was computed from it, are final.
   */
  store(turnId: string, epoch: number, batches: readonly EventBatch[]): Promise<void>;
  /** Returns the text of the attempt with this epoch, which is empty when it has stored nothing. */
  loadText(turnId: string, epoch: number): Promise<string>;
}

/** Creates the repository of segments in Postgres: `turn_segments`, one row for each epoch of a turn. */
export const createSegmentRepository = (db: Database): SegmentRepository => ({
  async store(turnId, epoch, batches) {
    // With the share lock, a close waits for this statement, or this statement waits for the close and then adds
    // nothing.
    await sql`
      insert into turn_segments (turn_id, epoch, batches)
      select turn_id, ${epoch}, ${JSON.stringify(batches)}::json
      from turns where turn_id = ${turnId} and status = 'running' for share
      on conflict do nothing`.execute(db);
  },
  async loadText(turnId, epoch) {
    const segment = await db
      .selectFrom('turn_segments')
      .select('batches')
      .where('turn_id', '=', turnId)
      .where('epoch', '=', epoch)
      .executeTakeFirst();
    return fullContentOf(segment?.batches.flatMap(expandBatch) ?? []);
  },
});

/**
 * Stores batches of several epochs, one segment per epoch, as part of a transaction that has locked the turn's row. A
 * segment that is already stored stays.
 */
export const storeSegments = async (
  db: Database,
  turnId: string,
  batches: readonly EventBatch[],
): Promise<void> => {
  const byEpoch = Map.groupBy(batches, ({ epoch }) => epoch);
  if (byEpoch.size === 0) return;
  const rows = [...byEpoch].map(([epoch, ownBatches]) => ({
    turn_id: turnId,
    epoch,
    batches: JSON.stringify(ownBatches),
  }));
  await db
    .insertInto('turn_segments')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** Loads the batches of all segments of a turn, surviving or not, in the order of epochs. */
export const loadSegments = async (db: Database, turnId: string): Promise<EventBatch[]> => {
  const segments = await db
    .selectFrom('turn_segments')
    .select('batches')
    .where('turn_id', '=', turnId)
    .orderBy('epoch')
    .execute();
  return segments.flatMap((segment) => segment.batches);
};

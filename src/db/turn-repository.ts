import { sql } from 'kysely';
import type { TurnStatus } from '../contracts/model-call.ts';
import type { TurnInput } from '../contracts/turn-input.ts';
import { parseEventId } from '../protocol/event-id.ts';
import { mergeBatches, type StoredEvent } from '../protocol/event-log.ts';
import type { Database } from './database.ts';
import type { OutsideClose, WorkflowClose } from './outside-close.ts';
import { eventsWithoutSegments } from './pruned-turn.ts';
import { loadSegments } from './segment-repository.ts';
import { closeTurn, type CloseOutcome } from './turn-close.ts';
import { insertTurn, type InsertOutcome, type UserMessage } from './turn-insert.ts';
import { toTurnRow, type StoredTerminal, type TurnRow } from './turn-row.ts';

type EndedStatus = Exclude<TurnStatus, 'running'>;

export interface TurnRepository {
  /** `startedBy`: name of the API key, if there is one. */
  insert(
    input: TurnInput,
    requestHash: string,
    message: UserMessage,
    startedBy?: string,
  ): Promise<InsertOutcome>;
  find(turnId: string): Promise<TurnRow | undefined>;
  /** Ids of the turns of an API key that run now, over all gateways. */
  runningOf(startedBy: string, protocol: TurnInput['protocol']): Promise<string[]>;
  /** Those of the given turns that have ended, and how. */
  endedOf(turnIds: readonly string[]): Promise<{ turnId: string; status: EndedStatus }[]>;
  /** How many turns run, over all gateways. */
  countRunning(): Promise<number>;
  /**
   * Running turns older than `olderThanMs` that no sweeper has taken in the last 9 s, longest untouched first.
   * Two sweepers never get the same row at a time.
   */
  claimRunning(options: { readonly olderThanMs: number; readonly limit: number }): Promise<TurnRow[]>;
  /** Throws UnknownTurnError. */
  close(input: WorkflowClose | OutsideClose): Promise<CloseOutcome>;
  /** The surviving events of an ended turn, the terminal one last; undefined while it runs or when unknown. */
  events(turnId: string): Promise<StoredEvent[] | undefined>;
}

/** Sweepers come every 10 s (turns.md): a little less, or each would skip every second time. */
const SWEEP_REST = sql`interval '9 seconds'`;

export function createTurnRepository(db: Database): TurnRepository {
  return {
    insert: (...turn) => insertTurn(db, ...turn),
    find: (turnId) => findTurn(db, turnId),
    async runningOf(startedBy, protocol) {
      const rows = await db
        .selectFrom('turns')
        .select('turn_id')
        .where('status', '=', 'running')
        .where('started_by', '=', startedBy)
        .where('protocol', '=', protocol)
        .execute();
      return rows.map((row) => row.turn_id);
    },
    endedOf: (turnIds) => endedOf(db, turnIds),
    async countRunning() {
      const { running } = await db
        .selectFrom('turns')
        .select(({ fn }) => fn.countAll<string>().as('running'))
        .where('status', '=', 'running')
        .executeTakeFirstOrThrow();
      return Number(running);
    },
    claimRunning: (options) => claimRunning(db, options),
    close: (input) => closeTurn(db, input),
    async events(turnId) {
      const row = await findTurn(db, turnId);
      if (!row?.terminal) return undefined;
      const batches = await loadSegments(db, turnId);
      const isPruned = batches.length === 0 && row.terminal.after !== null;
      return isPruned
        ? eventsWithoutSegments(row, row.terminal)
        : withTerminal(mergeBatches(batches), row.terminal);
    },
  };
}

async function findTurn(db: Database, turnId: string): Promise<TurnRow | undefined> {
  const row = await db.selectFrom('turns').selectAll().where('turn_id', '=', turnId).executeTakeFirst();
  return row && toTurnRow(row);
}

async function endedOf(
  db: Database,
  turnIds: readonly string[],
): Promise<{ turnId: string; status: EndedStatus }[]> {
  const rows = await db
    .selectFrom('turns')
    .select(['turn_id', 'status'])
    .where('turn_id', '=', sql<string>`any(${[...turnIds]})`)
    .where('status', '!=', 'running')
    .execute();
  return rows.map(({ turn_id: turnId, status }) => ({ turnId, status: status as EndedStatus }));
}

async function claimRunning(
  db: Database,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<TurnRow[]> {
  const rows = await db
    // As a CTE it runs once; as a sub-query the planner may run it, and its limit, once per row.
    .with('due', (cte) =>
      cte
        .selectFrom('turns')
        .select('turn_id')
        .where('status', '=', 'running')
        .where('started_at', '<=', sql<Date>`now() - ${olderThanMs} * interval '1 millisecond'`)
        .where(({ or, eb }) =>
          or([eb('swept_at', 'is', null), eb('swept_at', '<', sql<Date>`now() - ${SWEEP_REST}`)]),
        )
        .orderBy('swept_at', (order) => order.asc().nullsFirst())
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('turns')
    .from('due')
    .set({ swept_at: sql<Date>`now()` })
    .whereRef('turns.turn_id', '=', 'due.turn_id')
    .returningAll('turns')
    .execute();
  return rows.map(toTurnRow);
}

function withTerminal(list: readonly StoredEvent[], { id, after, event }: StoredTerminal): StoredEvent[] {
  const terminalId = parseEventId(id);
  if (!terminalId) throw new Error(`Terminal event id "${id}" is not <epoch>-<seq>.`);
  // `after` belongs to the first event of an epoch only.
  const first = list.at(-1)?.id.epoch !== terminalId.epoch;
  return [...list, { id: terminalId, ...(first && { after }), event }];
}

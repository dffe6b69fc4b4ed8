import { sql, type Selectable } from 'kysely';
import type { TurnStatus } from '../../contracts/turn/turn-facts.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import { parseEventId } from '../../contracts/wire/event-id.ts';
import { mergeBatches, type LoggedEvent } from '../../protocol/event-log/event-log.ts';
import type { Database } from '../connection/database.ts';
import type { OutsideClose, WorkflowClose } from './outside-close.ts';
import { eventsWithoutSegments } from './pruned-turn.ts';
import type { TurnsTable } from '../tables/turn-tables.ts';
import { loadSegments } from './segment-repository.ts';
import { claimForSweep, type ClaimOptions, CLAIM_INTERVAL } from '../claims/sweep-claim.ts';
import { closeTurn, type CloseOutcome } from './turn-close.ts';
import { insertTurn, type InsertOutcome, type TurnOrigin } from './turn-insert.ts';
import {
  COST_SO_FAR,
  OPEN_INPUT,
  toTurnRow,
  HAS_NO_OPEN_INPUT,
  type StoredTerminal,
  type TurnRow,
} from './turn-row.ts';

type EndedStatus = Exclude<TurnStatus, 'running'>;

/** The rows of turns. Each turn is inserted in one transaction, and closed in another. */
export interface TurnRepository {
  /**
   * Inserts a turn with its user message (see `insertTurn`). `startedBy` is the name of the API key, if there is one.
   */
  insert(
    input: TurnInput,
    requestHash: string,
    origin: TurnOrigin,
    startedBy?: string,
  ): Promise<InsertOutcome>;
  /** Reads a turn. Returns undefined for an unknown turn, and for a turn whose conversation was removed. */
  find(turnId: string): Promise<TurnRow | undefined>;
  /**
   * Returns the ids of the turns of one protocol that an API key has running now, over all gateways. Turns that wait
   * for a person do not count.
   */
  listRunning(startedBy: string, protocol: TurnInput['protocol']): Promise<string[]>;
  /** Notes which client cancels a running turn. The first client is kept. */
  recordCanceller(turnId: string, name: string): Promise<void>;
  /** Returns which of the given turns have ended, and how. */
  findEndStatuses(turnIds: readonly string[]): Promise<{ turnId: string; status: EndedStatus }[]>;
  /** Counts the turns that run now, over all gateways. Turns that wait for a person do not count. */
  countRunning(): Promise<number>;
  /**
   * Claims running turns that are at least `olderThanMs` milliseconds old and were not claimed for `CLAIM_INTERVAL`
   * (`WAITING_CLAIM_INTERVAL` if they wait for a person), longest overdue first. All sweepers then skip these rows for
   * the same time.
   */
  claimRunning(options: ClaimOptions): Promise<TurnRow[]>;
  /** Closes a turn, unless it was closed before; see `closeTurn`. Throws UnknownTurnError. */
  close(input: WorkflowClose | OutsideClose): Promise<CloseOutcome>;
  /**
   * Returns the surviving events of an ended turn, the terminal event last. If they were pruned, returns a reset, the
   * text in one chunk, and the terminal event (`eventsWithoutSegments`). Returns undefined while the turn runs, and
   * where `find` does.
   */
  findEvents(turnId: string): Promise<LoggedEvent[] | undefined>;
}

/**
 * Creates the repository of turns in Postgres: `turns`, and the messages that are stored in one transaction with them.
 */
export const createTurnRepository = (db: Database): TurnRepository => ({
  insert: (...turn) => insertTurn(db, ...turn),
  find: (turnId) => findTurn(db, turnId),
  async listRunning(startedBy, protocol) {
    const rows = await db
      .selectFrom('turns')
      .select('turn_id')
      .where('status', '=', 'running')
      .where('started_by', '=', startedBy)
      .where(HAS_NO_OPEN_INPUT)
      .where('protocol', '=', protocol)
      .execute();
    return rows.map((row) => row.turn_id);
  },
  recordCanceller: (turnId, name) => recordCanceller(db, turnId, name),
  findEndStatuses: (turnIds) => findEndStatuses(db, turnIds),
  async countRunning() {
    const { running } = await db
      .selectFrom('turns')
      .select(({ fn }) => fn.countAll<string>().as('running'))
      .where('status', '=', 'running')
      .where(HAS_NO_OPEN_INPUT)
      .executeTakeFirstOrThrow();
    return Number(running);
  },
  claimRunning: (options) => claimRunning(db, options),
  close: (input) => closeTurn(db, input),
  async findEvents(turnId) {
    const row = await findTurn(db, turnId);
    if (!row?.terminal) return undefined;
    const batches = await loadSegments(db, turnId);
    // If the terminal event followed another event, there were segments, which were pruned.
    const isPruned = batches.length === 0 && row.terminal.after !== null;
    return isPruned
      ? eventsWithoutSegments(row, row.terminal)
      : withTerminal(mergeBatches(batches), row.terminal);
  },
});

const findTurn = async (db: Database, turnId: string): Promise<TurnRow | undefined> => {
  const row = await db
    .selectFrom('turns')
    .selectAll('turns')
    .select([OPEN_INPUT, COST_SO_FAR])
    .where('turn_id', '=', turnId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row && toTurnRow(row);
};

const recordCanceller = async (db: Database, turnId: string, name: string): Promise<void> => {
  await db
    .updateTable('turns')
    .set({ cancelled_by: name })
    .where('turn_id', '=', turnId)
    .where('status', '=', 'running')
    .where('cancelled_by', 'is', null)
    .execute();
};

const findEndStatuses = async (
  db: Database,
  turnIds: readonly string[],
): Promise<{ turnId: string; status: EndedStatus }[]> => {
  const rows = await db
    .selectFrom('turns')
    .select(['turn_id', 'status'])
    .where('turn_id', '=', sql<string>`any(${[...turnIds]})`)
    .where('status', '!=', 'running')
    .execute();
  return rows.map(({ turn_id: turnId, status }) => ({ turnId, status: status as EndedStatus }));
};

/**
 * The time between two claims of a turn that waits for a person, which may take a week. If such turns were claimed as
 * often as others, many of them would delay a turn that has just lost its workflow.
 */
const WAITING_CLAIM_INTERVAL = sql`interval '10 minutes'`;
const DUE_AT = sql<Date | null>`case when ${HAS_NO_OPEN_INPUT} then swept_at + ${CLAIM_INTERVAL}
  else coalesce(swept_at, started_at) + ${WAITING_CLAIM_INTERVAL} end`;

const claimRunning = async (db: Database, options: ClaimOptions): Promise<TurnRow[]> => {
  const swept = {
    table: 'turns',
    id: 'turn_id',
    isOpen: sql<boolean>`status = 'running'`,
    dueAt: DUE_AT,
  } as const;
  const rows = await claimForSweep<Selectable<TurnsTable>>(db, swept, options);
  const claimed = rows.map(toTurnRow);
  // The requests that a turn waits for are in another table, which is read only for turns that may ask.
  return Promise.all(
    claimed.map(async (row) => (row.input.inputs && (await findTurn(db, row.turnId))) ?? row),
  );
};

const withTerminal = (list: readonly LoggedEvent[], { id, after, event }: StoredTerminal): LoggedEvent[] => {
  const terminalId = parseEventId(id);
  if (!terminalId) throw new Error(`Terminal event id "${id}" is not <epoch>-<seq>.`);
  // `after` belongs to the first event of an epoch only.
  const isFirst = list.at(-1)?.id.epoch !== terminalId.epoch;
  return [...list, { id: terminalId, ...(isFirst && { after }), event }];
};

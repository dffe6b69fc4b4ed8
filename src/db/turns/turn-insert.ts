import type { Insertable } from 'kysely';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { Database } from '../connection/database.ts';
import type { TurnsTable } from '../tables/turn-tables.ts';
import { COST_SO_FAR, OPEN_INPUT, toTurnRow, type TurnRow } from './turn-row.ts';

/**
 * The result of inserting a turn. `exists` has the turn with the same id, `busy` the turn that runs in the same
 * conversation.
 */
export type InsertOutcome =
  | { readonly kind: 'inserted'; readonly row: TurnRow }
  | { readonly kind: 'exists'; readonly row: TurnRow }
  | { readonly kind: 'busy'; readonly row: TurnRow };

/** The largest cost of a turn, and of its key on a UTC day, in whole millionths of the currency of the prices. */
export interface CostLimits {
  readonly turn?: number;
  readonly day?: number;
}

/** What the message that begins a turn brings along, besides the text, which is in the turn's input. */
export interface TurnOrigin {
  readonly sender: 'user';
  /** Metadata as the client sent it. Keys that Orion sets win over it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The tools that the client runs itself. Absent when there are none. */
  readonly clientTools?: readonly ClientTool[];
  /** The parent of this turn, as in `NewTurn`. */
  readonly parentTurnId?: string | null;
  /** Limits of the cost. Absent means no limit. */
  readonly costLimits?: CostLimits;
}

/**
 * Largest number of tries to insert a turn. A try fails when the conflicting turn ends before it is looked up, which
 * can hardly happen so often in a row.
 */
const MAX_TRIES = 10;

/**
 * Stores a turn: its row and its user message, or neither. On a conflict the turn's own id is looked up first, because
 * the same request on another gateway is not a conflict (docs/turns.md "Starting a turn"). `startedBy` is the name of
 * the API key, if there is one. Rejects if `MAX_TRIES` tries fail.
 */
export const insertTurn = async (
  db: Database,
  input: TurnInput,
  requestHash: string,
  origin: TurnOrigin,
  startedBy?: string,
): Promise<InsertOutcome> => {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const insertedRow = await tryInsert(
      db,
      {
        ...columnsOf(input, requestHash),
        ...toolColumns(origin),
        ...parentColumns(origin),
        ...limitColumns(origin),
        started_by: startedBy ?? null,
      },
      input,
      origin,
    );
    if (insertedRow) return { kind: 'inserted', row: insertedRow };
    const row = await findConflict(db, input);
    if (row) return { kind: row.turnId === input.turnId ? 'exists' : 'busy', row };
  }
  throw new Error(
    `Turn ${input.turnId} met ${MAX_TRIES} conflicts with turns that had ended when looked up.`,
  );
};

/** Inserts in one statement, so that no crash can separate the two rows. Returns undefined on any conflict. */
const tryInsert = async (
  db: Database,
  columns: Insertable<TurnsTable>,
  input: TurnInput,
  origin: TurnOrigin,
): Promise<TurnRow | undefined> => {
  const metadata = JSON.stringify({ ...origin.metadata, ...serverMetadata(input) });
  const row = await db
    .with('turn', (cte) =>
      cte
        .insertInto('turns')
        .values(columns)
        .onConflict((conflict) => conflict.doNothing())
        .returningAll(),
    )
    .with('message', (cte) =>
      cte
        .insertInto('chat_messages')
        .columns(['turn_id', 'project_id', 'conversation_id', 'sender', 'content', 'metadata'])
        .expression((from) =>
          from
            .selectFrom('turn')
            .select(({ val, cast }) => [
              'turn_id',
              'project_id',
              'conversation_id',
              val(origin.sender).as('sender'),
              val(safeText(input.content)).as('content'),
              cast<string>(val(metadata), 'json').as('metadata'),
            ]),
        ),
    )
    .selectFrom('turn')
    .selectAll()
    .executeTakeFirst();
  // A new turn has made no call yet.
  return row && toTurnRow({ ...row, so_far: { total: 0, wasted: 0 } });
};

const columnsOf = (input: TurnInput, requestHash: string) => ({
  turn_id: input.turnId,
  project_id: input.projectId,
  conversation_id: input.conversationId,
  request_hash: requestHash,
  start_input: JSON.stringify(input),
  protocol: input.protocol,
  mode: input.mode,
  model: input.model,
  notifies: input.notifies === true,
});

const toolColumns = ({ clientTools = [] }: TurnOrigin) =>
  clientTools.length === 0 ? {} : { client_tools: JSON.stringify(clientTools) };

const parentColumns = ({ parentTurnId }: TurnOrigin) => {
  if (parentTurnId === undefined) return {};
  return parentTurnId === null ? { begins_anew: true } : { parent_turn_id: parentTurnId };
};

const limitColumns = ({ costLimits: { turn, day } = {} }: TurnOrigin) => ({
  ...(turn !== undefined && { cost_limit: turn }),
  ...(day !== undefined && { day_cost_limit: day }),
});

/** Keys of a user message's metadata that no client can set. */
const serverMetadata = ({ turnId, mode, protocol }: TurnInput) => ({ requestId: turnId, mode, protocol });

const findConflict = async (db: Database, input: TurnInput): Promise<TurnRow | undefined> => {
  const row = await db
    .selectFrom('turns')
    .selectAll('turns')
    .select([OPEN_INPUT, COST_SO_FAR])
    .where(({ or, and, eb }) =>
      or([
        eb('turn_id', '=', input.turnId),
        and({ project_id: input.projectId, conversation_id: input.conversationId, status: 'running' }),
      ]),
    )
    .orderBy(({ eb }) => eb('turn_id', '=', input.turnId), 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toTurnRow(row);
};

import { sql, type Selectable } from 'kysely';
import { inputIdOf } from '../../contracts/inputs/input-id.ts';
import type { InputSubject, StoredResolution } from '../../contracts/inputs/input-request.ts';
import type { Notification, NotificationBody } from '../../contracts/inputs/notification.ts';
import type { TurnStatus } from '../../contracts/turn/turn-facts.ts';
import type { InputKind } from '../../contracts/wire/input-events.ts';
import type { Database } from '../connection/database.ts';
import type { OutboxTable } from '../tables/outbox-tables.ts';
import { type ClaimOptions, CLAIM_INTERVAL } from '../claims/sweep-claim.ts';
import type { TurnKeyRow } from '../tables/turn-tables.ts';

/** The messages to a webhook, and the result of each. */
export interface OutboxRepository {
  /** Finds a message. Returns undefined if there is none, or if it is no longer kept. */
  find(webhookId: string): Promise<Notification | undefined>;
  /** Returns the ids of the messages of a turn that were neither sent nor given up, oldest first. */
  listDue(turnId: string): Promise<string[]>;
  /** Notes that the workflow of a message runs and looks after it, so that sweepers skip the message for an hour. */
  markStarted(webhookId: string): Promise<void>;
  /** Ends a message. The first end stays. Returns whether this call has ended the message. */
  end(webhookId: string, state: 'sent' | 'given_up'): Promise<boolean>;
  /**
   * Claims due messages that are at least `olderThanMs` milliseconds old. For `CLAIM_INTERVAL`, no other sweeper gets
   * these messages.
   */
  claimDue(options: ClaimOptions): Promise<Notification[]>;
}

/** Creates the outbox of webhook messages in Postgres. */
export const createOutboxRepository = (db: Database): OutboxRepository => ({
  find: async (webhookId) => {
    const row = await db
      .selectFrom('outbox')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .executeTakeFirst();
    return row && toNotification(row);
  },
  listDue: async (turnId) => {
    const due = db.selectFrom('outbox').select('webhook_id').where('turn_id', '=', turnId);
    const rows = await due.where('state', '=', 'due').orderBy('started_at').execute();
    return rows.map(({ webhook_id: webhookId }) => webhookId);
  },
  markStarted: async (webhookId) => {
    const update = db.updateTable('outbox').set({ due_at: sql<Date>`now() + ${STARTED_CLAIM_INTERVAL}` });
    await update.where('webhook_id', '=', webhookId).where('state', '=', 'due').execute();
  },
  end: async (webhookId, state) => {
    const update = db.updateTable('outbox').set({ state }).where('webhook_id', '=', webhookId);
    const { numUpdatedRows } = await update.where('state', '=', 'due').executeTakeFirst();
    return numUpdatedRows > 0n;
  },
  claimDue: async (options) => (await claimDue(db, options)).map(toNotification),
});

/**
 * Time for which sweepers skip a message whose workflow runs. A receiver that is away for long must not cost a check
 * at every sweep for each message that waits for it.
 */
const STARTED_CLAIM_INTERVAL = sql`interval '1 hour'`;

const claimDue = async (
  db: Database,
  { olderThanMs, limit }: ClaimOptions,
): Promise<Selectable<OutboxTable>[]> => {
  const { rows } = await sql<Selectable<OutboxTable>>`
    with due as (
      select webhook_id from outbox
      where state = 'due' and due_at <= now()
        and started_at <= now() - ${olderThanMs} * interval '1 millisecond'
      order by due_at limit ${limit}
      for update skip locked
    )
    update outbox set due_at = now() + ${CLAIM_INTERVAL}
    from due where outbox.webhook_id = due.webhook_id
    returning outbox.*`.execute(db);
  return rows;
};

const toNotification = (row: Selectable<OutboxTable>): Notification => ({
  webhookId: row.webhook_id,
  body: row.body,
  createdAt: row.started_at,
  state: row.state,
});

/** Adds the message about the end of a turn, as part of the transaction that ends the turn. */
export const storeTurnEnded = (
  trx: Database,
  turn: TurnKeyRow,
  end: { readonly status: TurnStatus; readonly reason: string },
): Promise<void> => {
  const { turn_id: turnId } = turn;
  const data = { ...turnOf(turn), ...end, link: `/api/turns/${turnId}` };
  return storeMessage(trx, `${turnId}/ended`, turnId, { type: 'turn.ended', data });
};

const turnOf = ({ turn_id: turnId, project_id: projectId, conversation_id: conversationId }: TurnKeyRow) => ({
  turnId,
  projectId,
  conversationId,
});

const storeMessage = async (
  trx: Database,
  webhookId: string,
  turnId: string,
  body: NotificationBody,
): Promise<void> => {
  await trx
    .insertInto('outbox')
    .values({ webhook_id: webhookId, turn_id: turnId, body: JSON.stringify(body) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/**
 * Adds the message about a request, as part of the transaction that opens it. Adds none if the request is not open now,
 * or if no webhook is notified of its turn.
 */
export const storeInputRequested = async (trx: Database, turnId: string, n: number): Promise<void> => {
  const request = await findRequest(trx, turnId, n);
  if (request?.state !== 'open' || request.expires_at === null) return;
  const data = { ...inputOf(request), expiresAt: request.expires_at.toISOString() };
  await storeMessage(trx, `${data.inputId}/requested`, turnId, { type: 'input.requested', data });
};

/**
 * Adds the message about a resolution, as part of the transaction that resolves the request. Adds none if the request
 * was never opened, since nobody was asked, or if no webhook is notified of its turn.
 */
export const storeInputResolved = async (
  trx: Database,
  turnId: string,
  n: number,
  { reply, by, at }: StoredResolution,
): Promise<void> => {
  const request = await findRequest(trx, turnId, n);
  if (!request?.opened_at) return;
  const data = { ...inputOf(request), reply, by, at };
  await storeMessage(trx, `${data.inputId}/resolved`, turnId, { type: 'input.resolved', data });
};

/** Reads a request and its turn, for a message about it. Returns undefined if no webhook is notified of the turn. */
const findRequest = (trx: Database, turnId: string, n: number) =>
  trx
    .selectFrom('input_requests')
    .innerJoin('turns', 'turns.turn_id', 'input_requests.turn_id')
    .select(['n', 'kind', 'request', 'state', 'expires_at', 'opened_at'])
    .select(['turns.turn_id', 'turns.project_id', 'turns.conversation_id'])
    .where('input_requests.turn_id', '=', turnId)
    .where('n', '=', n)
    .where('turns.notifies', '=', true)
    .executeTakeFirst();

const inputOf = (
  row: TurnKeyRow & { readonly n: number; readonly kind: InputKind; readonly request: InputSubject },
) => {
  const { tool, target } = row.request;
  return {
    ...turnOf(row),
    inputId: inputIdOf(row.turn_id, row.n),
    kind: row.kind,
    ...(tool !== undefined && { tool }),
    ...(target !== undefined && { target }),
    link: `/api/turns/${row.turn_id}/inputs/${row.n}`,
  };
};

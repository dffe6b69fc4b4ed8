import { sql, type Selectable } from 'kysely';
import type { AskedInput, StoredResolution } from '../contracts/inputs.ts';
import type { Notification, NotificationBody } from '../contracts/notification.ts';
import type { TurnStatus } from '../contracts/turn-facts.ts';
import type { InputKind } from '../contracts/wire/input-events.ts';
import type { Database } from './database.ts';
import type { OutboxTable } from './schema.ts';
import { claimForSweep, type ClaimOptions } from './sweep-claim.ts';

/** What is to be told to a webhook, and what became of it. */
export interface OutboxRepository {
  find(webhookId: string): Promise<Notification | undefined>;
  /** Ids of what is due of a turn, oldest first. */
  listDue(turnId: string): Promise<string[]>;
  /** The first end stays. */
  end(webhookId: string, state: 'sent' | 'given_up'): Promise<void>;
  /** Due ones that are older than `olderThanMs` and were taken by no sweeper in the last 9 s. */
  claimDue(options: ClaimOptions): Promise<Notification[]>;
}

/** The outbox of notifications in Postgres. */
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
  end: async (webhookId, state) => {
    const row = db.updateTable('outbox').set({ state }).where('webhook_id', '=', webhookId);
    await row.where('state', '=', 'due').execute();
  },
  claimDue: async (options) => {
    const swept = { table: 'outbox', id: 'webhook_id', open: sql<boolean>`state = 'due'` } as const;
    return (await claimForSweep<Selectable<OutboxTable>>(db, swept, options)).map(toNotification);
  },
});

const toNotification = (row: Selectable<OutboxTable>): Notification => ({
  webhookId: row.webhook_id,
  body: row.body,
  createdAt: row.started_at,
  state: row.state,
});

interface TurnKey {
  readonly turn_id: string;
  readonly project_id: string;
  readonly conversation_id: string;
}

const insert = async (
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

const turnOf = ({ turn_id: turnId, project_id: projectId, conversation_id: conversationId }: TurnKey) => ({
  turnId,
  projectId,
  conversationId,
});

/** Part of the transaction that ends a turn which notifies. */
export const notifyTurnEnded = (
  trx: Database,
  turn: TurnKey,
  end: { readonly status: TurnStatus; readonly reason: string },
): Promise<void> => {
  const { turn_id: turnId } = turn;
  const data = { ...turnOf(turn), ...end, link: `/api/turns/${turnId}` };
  return insert(trx, `${turnId}/ended`, turnId, { type: 'turn.ended', data });
};

/** Part of the transaction that opens a request, which has to be open by now. */
export const notifyRequested = async (trx: Database, turnId: string, n: number): Promise<void> => {
  const found = await requestOf(trx, turnId, n);
  if (found?.state !== 'open' || found.expires_at === null) return;
  const data = { ...inputOf(found), expiresAt: found.expires_at.toISOString() };
  await insert(trx, `${data.inputId}/requested`, turnId, { type: 'input.requested', data });
};

/** Part of the transaction that resolves a request; nobody was told of one that was never opened. */
export const notifyResolved = async (
  trx: Database,
  turnId: string,
  n: number,
  { reply, by, at }: StoredResolution,
): Promise<void> => {
  const found = await requestOf(trx, turnId, n);
  if (!found) return;
  const data = { ...inputOf(found), reply, by, at };
  await insert(trx, `${data.inputId}/resolved`, turnId, { type: 'input.resolved', data });
};

/** Undefined where its turn tells nobody. */
const requestOf = (trx: Database, turnId: string, n: number) =>
  trx
    .selectFrom('input_requests')
    .innerJoin('turns', 'turns.turn_id', 'input_requests.turn_id')
    .select(['n', 'kind', 'request', 'state', 'expires_at'])
    .select(['turns.turn_id', 'turns.project_id', 'turns.conversation_id'])
    .where('input_requests.turn_id', '=', turnId)
    .where('n', '=', n)
    .where('turns.notifies', '=', true)
    .executeTakeFirst();

const inputOf = (
  row: TurnKey & { readonly n: number; readonly kind: InputKind; readonly request: AskedInput },
) => {
  const { tool, target } = row.request;
  return {
    ...turnOf(row),
    inputId: `${row.turn_id}/${row.n}`,
    kind: row.kind,
    ...(tool !== undefined && { tool }),
    ...(target !== undefined && { target }),
    link: `/api/turns/${row.turn_id}/inputs/${row.n}`,
  };
};

import { sql, type Kysely } from 'kysely';

/** Time at which a sweeper next looks at a message. A message whose workflow runs is skipped for a long time. */
const column = sql`alter table outbox add column due_at timestamptz not null default now()`;

const due = sql`create index outbox_due_at on outbox (due_at) where state = 'due'`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [column, due]) await statement.execute(db);
};

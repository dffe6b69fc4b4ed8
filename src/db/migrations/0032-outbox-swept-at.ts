import { sql, type Kysely } from 'kysely';

/** Since 0023 the next look at a message is at its `due_at`; nothing has read this column from then on. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table outbox drop column swept_at`.execute(db);
};

import { sql, type Kysely } from 'kysely';

/**
 * Removes `swept_at` of messages. Since 0023, `due_at` says when a message is looked at next, and nothing reads
 * `swept_at`.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table outbox drop column swept_at`.execute(db);
};

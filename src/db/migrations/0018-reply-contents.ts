import { sql, type Kysely } from 'kysely';

/** Replies to input requests that are too long for the history of a workflow, which has their hash instead. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table reply_contents (
      turn_id text not null references turns,
      sha256 text not null,
      content text not null,
      primary key (turn_id, sha256)
    )`.execute(db);
};

import { sql, type Kysely } from 'kysely';

/** Adds the table of replies that are too long for a workflow's history. The history has their hashes instead. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table reply_contents (
      turn_id text not null references turns,
      sha256 text not null,
      content text not null,
      primary key (turn_id, sha256)
    )`.execute(db);
};

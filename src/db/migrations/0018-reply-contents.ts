import { sql, type Kysely } from 'kysely';

/** Answers that are too long for the history of a workflow, which carries their hash. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table reply_contents (
      turn_id text not null references turns,
      sha256 text not null,
      content text not null,
      primary key (turn_id, sha256)
    )`.execute(db);
};

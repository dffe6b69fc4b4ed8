import { sql, type Kysely } from 'kysely';

/**
 * Tells listeners (`src/db/inputs/input-news.ts`) in which project a request was opened, closed or removed. The
 * database does it, because gateways and workers of the earlier version change requests, too.
 */
const tell = sql`
  create function tell_inputs() returns trigger language plpgsql as $$
  begin
    perform pg_notify('orion_inputs', coalesce(
      (select project_id from turns where turn_id = coalesce(new.turn_id, old.turn_id)), ''));
    return null;
  end $$`;

const opened = sql`
  create trigger input_requests_told after update on input_requests for each row
  when (old.opened_at is distinct from new.opened_at or old.state is distinct from new.state)
  execute function tell_inputs()`;

const removed = sql`
  create trigger input_requests_removed after delete on input_requests for each row
  when (old.state = 'open') execute function tell_inputs()`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [tell, opened, removed]) await statement.execute(db);
};

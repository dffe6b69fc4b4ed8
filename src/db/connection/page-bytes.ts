import { sql, type Compilable, type Expression, type RawBuilder } from 'kysely';

/** Bytes of UTF-8 that the texts of a page's rows may have, before JSON escapes them. */
export const PAGE_BYTES = 1024 * 1024;

/** A page of a list whose rows may be large. */
export interface PageQuery {
  readonly table: 'chat_messages' | 'trace_events';
  /** Query for the ids of the rows that may be on the page. */
  readonly candidates: Compilable & Expression<unknown>;
  /** Columns to order by, those of the first row first. */
  readonly order: RawBuilder<unknown>;
  /** Bytes of a row. */
  readonly weight: RawBuilder<unknown>;
}

/**
 * Returns the query for the ids of a page. It takes as many of the candidates, from the first, as `PAGE_BYTES` hold,
 * and at least one, so that a client that reads on gets through whatever is stored. The rest never leaves Postgres.
 */
export const idsOfPage = ({ table, candidates, order, weight }: PageQuery): RawBuilder<{ id: string }> => sql`
  select id from (
    select id, row_number() over (order by ${order}) as place, sum(${weight}) over (order by ${order}) as bytes
    from ${sql.table(table)} where id in (${candidates})
  ) as weighed
  where place = 1 or bytes <= ${PAGE_BYTES}`;

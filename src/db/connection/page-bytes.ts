import { sql, type Compilable, type Expression, type RawBuilder } from 'kysely';
import { MIB } from '../../contracts/values/units.ts';

/**
 * Largest number of bytes of UTF-8 that the texts of a page's rows may have, before JSON escapes them. A larger row is
 * a page by itself.
 */
export const PAGE_BYTES = MIB;

/** A page of a list whose rows may be large. */
export interface PageQuery {
  readonly table: 'chat_messages' | 'trace_events';
  /** Query for the ids of the rows that may be on the page. */
  readonly candidates: Compilable & Expression<unknown>;
  /** Expressions for `order by`: a page takes rows in this order. */
  readonly order: RawBuilder<unknown>;
  /** Expression for the size of a row in bytes. */
  readonly weight: RawBuilder<unknown>;
}

/**
 * Returns the query for the ids of a page. From the first candidate on, it takes as many as fit in `PAGE_BYTES`, and at
 * least one, so that a client that reads on gets through whatever is stored. The other rows never leave Postgres.
 */
export const idsOfPage = ({ table, candidates, order, weight }: PageQuery): RawBuilder<{ id: string }> => sql`
  select id from (
    select id, row_number() over (order by ${order}) as place, sum(${weight}) over (order by ${order}) as bytes
    from ${sql.table(table)} where id in (${candidates})
  ) as weighed
  where place = 1 or bytes <= ${PAGE_BYTES}`;

import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { QueryConfig } from 'pg';

const MARK = '/* prepared */';

/**
 * Begins the text of a statement that each connection parses once, and soon no longer plans
 * (docs/decisions/statements-of-a-start-are-prepared.md). The text must be the same each time, because a connection
 * keeps all statements that it has prepared. It must name its columns: once a migration has added a column, Postgres
 * refuses a prepared `select *`.
 */
export const PREPARED = sql.raw(MARK);

/**
 * Returns a statement as node-postgres takes it. A statement that begins with `PREPARED` is named by the hash of its
 * text, and a connection that knows the name sends only the values.
 */
export const toQueryConfig = (text: string, values: unknown[] | undefined): QueryConfig => ({
  text,
  ...(values && { values }),
  ...(text.startsWith(MARK) && { name: createHash('sha256').update(text).digest('base64url') }),
});

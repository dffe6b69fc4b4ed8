import type { ColumnType } from 'kysely';

/**
 * A `json` column: parsed when read, JSON text when written (the driver would make a Postgres array of a
 * JavaScript one). `json` and not `jsonb`: jsonb refuses `\u0000`, and what a model said is kept byte by byte.
 */
export type Json<T> = ColumnType<T, string, string>;

/** A `json` column that may be null: parsed when read, JSON text when written. */
export type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;
/** A time that the database sets where none is given. */
export type Timestamp = ColumnType<Date, Date | undefined, Date>;
/** A time that may be null, for what has not happened yet; never set by the database. */
export type TimestampOrNull = ColumnType<Date | null, Date | null, Date | null>;

import type { ColumnType } from 'kysely';

/**
 * A `json` column: parsed when read, and JSON text when written, because the driver would send a JavaScript array as a
 * Postgres array. The type is not `jsonb`, which refuses `\u0000`: what a model said is kept byte by byte.
 */
export type Json<T> = ColumnType<T, string, string>;

/** A `json` column that may be null: parsed when read, JSON text when written. */
export type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;
/** A time that the database sets if an insert gives none. */
export type Timestamp = ColumnType<Date, Date | undefined, Date>;
/** A time that is null until something has happened. The column has no default in the database. */
export type TimestampOrNull = ColumnType<Date | null, Date | null, Date | null>;

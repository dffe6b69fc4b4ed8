import { z } from 'zod';
import { isShallow } from './unchecked-value.ts';

/** Any value that JSON can express, such as `JSON.parse` returns. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/**
 * The schema of any JSON value. Its id gives it one name in the API description, where `z.json()` would get another
 * numbered name at each use.
 */
export const jsonValueSchema: z.ZodType<JsonValue, JsonValue> = z
  .lazy(() =>
    z.union([
      z.string(),
      z.number(),
      z.boolean(),
      z.null(),
      z.array(jsonValueSchema),
      z.record(z.string(), jsonValueSchema),
    ]),
  )
  .meta({ id: 'Json' });

/** The most levels of nesting in a JSON object from a client. */
const MAX_LEVELS = 16;

/** A JSON object of at most `MAX_LEVELS` levels, the outermost included. */
export const jsonObjectSchema = z
  .unknown()
  .refine((value) => isShallow(value, MAX_LEVELS), `expected at most ${MAX_LEVELS} levels`)
  .pipe(z.record(z.string(), jsonValueSchema));

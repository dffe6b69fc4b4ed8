import { z } from 'zod';

/** Any value that JSON can say, in lists and objects of any depth. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Any JSON value, by one name in the API description: `z.json()` would get a numbered one at every use. */
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

/** Levels of nesting; deeper values would exhaust the stack of recursive readers. */
const MAX_LEVELS = 16;

const isShallow = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
};

/** A JSON object that does not nest deeply. */
export const jsonObjectSchema = z
  .unknown()
  .refine((value) => isShallow(value, MAX_LEVELS), `expected at most ${MAX_LEVELS} levels`)
  .pipe(z.record(z.string(), jsonValueSchema));

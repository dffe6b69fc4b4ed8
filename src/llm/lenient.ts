import type { z } from 'zod';

/**
 * Returns a schema for a field that providers fill with whatever they like. Values that do not match it count as
 * absent.
 */
export const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

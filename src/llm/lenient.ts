import type { z } from 'zod';

/** Makes a field that providers fill with whatever they like: unusable values count as absent. */
export const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

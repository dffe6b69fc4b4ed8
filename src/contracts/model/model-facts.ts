import { z } from 'zod';

/**
 * What the operator has configured about a model that turns may choose. Null means that a fact is unknown, or that
 * there is no fallback.
 */
export const modelFactsSchema = z.object({
  name: z.string().describe('Name of the model.'),
  contextWindow: z
    .number()
    .nullable()
    .describe('Tokens that prompt and answer may have together. Null if unknown.'),
  vision: z.boolean().nullable().describe('True if the model accepts images. Null if unknown.'),
  fallback: z
    .string()
    .nullable()
    .describe('The model that takes over when this one is not available. Null if none is configured.'),
});
export type ModelFacts = z.infer<typeof modelFactsSchema>;

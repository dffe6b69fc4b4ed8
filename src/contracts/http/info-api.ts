import { z } from 'zod';

/** A setting as the running gateway reads it; `value` of a secret is masked, and empty where nothing is set. */
const settingSchema = z.object({ name: z.string(), value: z.string(), isDefault: z.boolean() });
export type Setting = z.infer<typeof settingSchema>;

/** What is known of a model that turns may ask for; null: not known, or none. */
const modelFactsSchema = z.object({
  name: z.string(),
  contextWindow: z.number().nullable().describe('Tokens that prompt and answer may have together.'),
  vision: z.boolean().nullable().describe('Whether it sees pictures.'),
  fallback: z
    .string()
    .nullable()
    .describe(
      'The model that its operator names for when it is not available; Orion itself does not change to it.',
    ),
});
export type ModelFacts = z.infer<typeof modelFactsSchema>;

/** Answer of `GET /api/info`: the version, the models and the place of this Orion. */
export const infoAnswerSchema = z.object({
  version: z.string(),
  /** The model that answers a turn unless it asks for another one of `models`. */
  model: z.string(),
  models: z.array(z.string()),
  /** The same models with what the operator has said of them; absent in answers of earlier gateways. */
  modelFacts: z.array(modelFactsSchema).optional(),
  /** Address of the Temporal Web UI; null when it is not known. */
  temporalUi: z.string().nullable(),
  /** The folder that tools work in. Null, like `settings`, for callers whose key does not open every project. */
  workspace: z.string().nullable(),
  settings: z.array(settingSchema).nullable(),
});
export type InfoAnswer = z.infer<typeof infoAnswerSchema>;

import { z } from 'zod';

/** A setting with the value that the gateway runs with. The values of secrets are masked. */
const settingSchema = z.object({
  name: z.string().describe('Name of the environment variable.'),
  value: z
    .string()
    .describe('The value that the gateway runs with. Secrets are masked. Empty if nothing is set.'),
  isDefault: z.boolean().describe('True if the value is the default.'),
});
export type Setting = z.infer<typeof settingSchema>;

/**
 * What the operator has configured about a model that turns may choose. Null means that a fact is unknown, or that
 * there is no fallback.
 */
const modelFactsSchema = z.object({
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

/**
 * Response to `GET /api/info`: the gateway's version and settings, the models that turns may choose, and where tools
 * work.
 */
export const infoResponseSchema = z.object({
  version: z.string().describe('Version of the gateway.'),
  model: z.string().describe('The model that answers a turn which does not choose another one.'),
  models: z.array(z.string()).describe('The models that a turn may choose.'),
  modelFacts: z
    .array(modelFactsSchema)
    .optional()
    .describe(
      'What the operator has configured for each of these models. Absent in responses of earlier gateways.',
    ),
  temporalUi: z.string().nullable().describe('Address of the Temporal Web UI. Null if it is not known.'),
  workspace: z
    .string()
    .nullable()
    .describe('The folder that tools work in. Null for keys that do not give access to every project.'),
  settings: z
    .array(settingSchema)
    .nullable()
    .describe('The settings of the gateway. Null for keys that do not give access to every project.'),
});
export type InfoResponse = z.infer<typeof infoResponseSchema>;

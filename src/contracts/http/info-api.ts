import { z } from 'zod';
import { modelFactsSchema } from '../model/model-facts.ts';
import { settingSchema } from '../values/setting.ts';

/**
 * Response to `GET /api/info`: the gateway's version and settings, the models that turns may choose, and where tools
 * work.
 */
export const infoResponseSchema = z.object({
  version: z
    .string()
    .describe('Version in the `package.json` of the gateway. It changes with releases, not with commits.'),
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

import { z } from 'zod';

/** A setting as the running gateway reads it; `value` of a secret is masked, and empty where nothing is set. */
const settingSchema = z.object({ name: z.string(), value: z.string(), isDefault: z.boolean() });
export type Setting = z.infer<typeof settingSchema>;

/** Answer of `GET /api/info`: which Orion this is. */
export const infoAnswerSchema = z.object({
  version: z.string(),
  /** What a turn is answered by unless it asks for another one of `models`. */
  model: z.string(),
  models: z.array(z.string()),
  /** Address of the Temporal Web UI; null when it is not known. */
  temporalUi: z.string().nullable(),
  /** The folder that tools work in. Null for callers whose key does not open every project, as are settings. */
  workspace: z.string().nullable(),
  settings: z.array(settingSchema).nullable(),
});
export type InfoAnswer = z.infer<typeof infoAnswerSchema>;

import { z } from 'zod';

/** A setting with the value that the gateway runs with. The values of secrets are masked. */
export const settingSchema = z.object({
  name: z.string().describe('Name of the environment variable.'),
  value: z
    .string()
    .describe('The value that the gateway runs with. Secrets are masked. Empty if nothing is set.'),
  isDefault: z.boolean().describe('True if the value is the default.'),
});
export type Setting = z.infer<typeof settingSchema>;

import { z } from 'zod';
import { idSchema } from '../ids.ts';

/** Query of `GET /api/files`, with aliases already folded. */
export const filesQuerySchema = z.object({
  projectId: idSchema,
  path: z
    .string()
    .max(4_096)
    .default('.')
    .describe('A folder, from the root of the project; `.` is the root.'),
});

/** Answer of `GET /api/files`: what one folder holds, without what tools do not see or `.gitignore` files hide. */
export const fileListSchema = z.object({
  path: z.string(),
  entries: z
    .array(z.string())
    .describe(
      'Paths from the root of the project, sorted; those of folders end with `/`. Links are not followed.',
    ),
  truncated: z.boolean().describe('There is more.'),
});
export type FileList = z.infer<typeof fileListSchema>;

import { z } from 'zod';
import { idSchema } from '../values/ids.ts';

/** Query of `GET /api/files`, with aliases already folded. */
export const filesQuerySchema = z.object({
  projectId: idSchema,
  path: z
    .string()
    .max(4_096)
    .default('.')
    .describe('A folder, from the root of the project; `.` is the root.'),
});

/** Answer of `GET /api/files`: the content of one folder, without what tools do not see or `.gitignore` files hide. */
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

/** Query of `GET /api/turns/:id/changes`. */
export const turnFileQuerySchema = z.object({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe('A file that the turn has changed, by its path in the project.'),
});

/** Answer of `GET /api/turns/:id/changes`: one file before the turn and as the turn left it. */
export const turnFileAnswerSchema = z.object({
  path: z.string(),
  texts: z
    .object({ before: z.string().nullable(), after: z.string().nullable() })
    .optional()
    .describe('What the file held before the turn, and holds since; null: there was none, or is none.'),
  reason: z.string().optional().describe('Why there are no `texts`.'),
});
export type TurnFileAnswer = z.infer<typeof turnFileAnswerSchema>;

import { z } from 'zod';
import { idSchema } from '../values/ids.ts';

/** Query of `GET /api/files`, with aliases of field names already replaced. */
export const filesQuerySchema = z.object({
  projectId: idSchema,
  path: z
    .string()
    .max(4_096)
    .default('.')
    .describe('Path of the folder, relative to the root of the project. `.` is the root.'),
});

/**
 * Response to `GET /api/files`: the entries of one folder, except those that tools do not see or that `.gitignore`
 * files hide.
 */
export const fileListSchema = z.object({
  path: z.string().describe('Path of the folder, relative to the root of the project.'),
  entries: z
    .array(z.string())
    .describe(
      'Paths relative to the root of the project, sorted. Paths of folders end with `/`. Links are not followed.',
    ),
  truncated: z.boolean().describe('True if the folder has more entries than are listed.'),
});
export type FileList = z.infer<typeof fileListSchema>;

/** Query of `GET /api/turns/:id/changes`. */
export const turnFileQuerySchema = z.object({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe('Path of a file that the turn changed, relative to the root of the project.'),
});

/** Response to `GET /api/turns/:id/changes`: one file as it was before the turn and after it. */
export const turnFileResponseSchema = z.object({
  path: z.string().describe('Path of the file, relative to the root of the project.'),
  texts: z
    .object({
      before: z.string().nullable().describe('Content before the turn. Null if the file did not exist.'),
      after: z.string().nullable().describe('Content after the turn. Null if the file no longer existed.'),
    })
    .optional()
    .describe('The content of the file before the turn and after it.'),
  reason: z.string().optional().describe('Why there are no `texts`. Present only without them.'),
});
export type TurnFileResponse = z.infer<typeof turnFileResponseSchema>;

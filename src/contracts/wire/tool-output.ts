import { z } from 'zod';
import { KIB } from '../values/units.ts';

/** The most characters that one piece of a command's output may have. */
export const MAX_OUTPUT_CHARACTERS = 64 * KIB;

/**
 * Output of a command while it runs. It is sent once, to those who watch at that moment: it has no id and is not one of
 * the turn's events (docs/decisions/output-is-live-only.md). The result of the call contains it, too.
 */
export const toolOutputSchema = z.object({
  type: z.literal('tool_output'),
  callId: z.string(),
  stream: z.enum(['stdout', 'stderr']).describe('The stream that the command wrote to.'),
  content: z.string().max(MAX_OUTPUT_CHARACTERS).describe('What the command printed.'),
});
export type ToolOutput = z.infer<typeof toolOutputSchema>;

/** The two streams that a command writes to. */
export type CommandStream = ToolOutput['stream'];

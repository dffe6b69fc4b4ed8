import { z } from 'zod';
import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';

/** The contract's tool result as a schema that allows no further field. */
export const toolResultShape = z.strictObject({
  toolCallId: z.string(),
  toolName: z.string(),
  success: z.boolean(),
  result: z.json().exactOptional(),
  error: z.string().exactOptional(),
  details: z.json().exactOptional(),
  retryable: z.boolean().exactOptional(),
  attempts: z.number().int(),
  durationMs: z.number(),
  timestamp: z.string(),
}) satisfies z.ZodType<ToolResult>;

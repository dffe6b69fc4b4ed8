import { z } from 'zod';

/** The kinds of trace events (docs/storage.md "Traces"). */
export const traceTypeSchema = z
  .enum([
    'user_message',
    'steer',
    'orion_response',
    'llm_call',
    'llm_result',
    'tool_call',
    'tool_result',
    'tool_registration',
    'duplicate_tool_call',
    'orchestration_phase_start',
    'orchestration_phase_end',
    'write_session',
    'system_error',
  ])
  .describe('What the trace reports.');
export type TraceType = z.infer<typeof traceTypeSchema>;

/** The source of a trace: the user, the model (`orion`), a tool, or Orion's own code (`system`). */
export const traceSourceSchema = z
  .enum(['user', 'orion', 'tool', 'system'])
  .describe(
    'The source of the trace: the user, the model (`orion`), a tool, or the code of Orion (`system`).',
  );
export type TraceSource = z.infer<typeof traceSourceSchema>;

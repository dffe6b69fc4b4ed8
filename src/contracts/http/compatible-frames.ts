import { z } from 'zod';
import { toolOutputSchema } from '../wire/tool-output.ts';
import { turnEventSchema, turnErrorCodeSchema, noticeSchema } from '../wire/turn-event.ts';

const [phase, chunk, toolCalls, toolResult, writeSession, requested, resolved, steer, reset, done, error] =
  turnEventSchema.options;

/** Every frame has `type` and the id of the request, beside the field that names it. */
const frame = <T extends string, S extends z.core.$ZodLooseShape>(type: T, fields: S) =>
  z.object({ type: z.literal(type), requestId: z.string(), ...fields });

/** The `data` of compatible frames (docs/http-api.md), told apart by `type` or by their fields. */
export const compatibleFrameSchema = z.discriminatedUnion('type', [
  frame('phase', {
    phase: z.enum(['action_phase', 'tool_phase']),
    phaseIndex: phase.shape.index,
    cycleIndex: phase.shape.cycle,
  }),
  frame('chunk', { chunk: chunk.shape.content, notice: noticeSchema.optional() }),
  frame('tool_calls', { tool_calls: toolCalls.shape.calls }),
  frame('tool_output', { tool_output: toolOutputSchema.omit({ type: true }) }),
  frame('tool_result', { tool_result: toolResult.omit({ type: true }) }),
  frame('write_session', { write_session: writeSession.omit({ type: true }) }),
  frame('input_requested', { input_requested: requested.omit({ type: true }) }),
  frame('input_resolved', { input_resolved: resolved.omit({ type: true }) }),
  frame('steer', { steer: steer.omit({ type: true }) }),
  frame('reset', { reset: reset.omit({ type: true }) }),
  frame('done', { ...done.omit({ type: true }).shape, done: z.literal(true), phase: z.literal('complete') }),
  frame('error', {
    error: error.shape.message,
    code: turnErrorCodeSchema,
    unapplied: error.shape.unapplied,
  }),
]);

import { z } from 'zod';
import { toolOutputSchema } from '../wire/tool-output.ts';
import { TURN_EVENT_SCHEMAS, turnErrorCodeSchema, noticeSchema } from '../wire/turn-event.ts';

const {
  phase,
  chunk,
  tool_calls: toolCalls,
  tool_result: toolResult,
  write_session: writeSession,
  input_requested: requested,
  input_resolved: resolved,
  steer,
  reset,
  done,
  error,
} = TURN_EVENT_SCHEMAS;

/** Returns the schema of one kind of frame: its `type`, the turn's id as `requestId`, and `fields`. */
const frame = <T extends string, S extends z.core.$ZodLooseShape>(type: T, fields: S) =>
  z.object({ type: z.literal(type), requestId: z.string().describe('Id of the turn.'), ...fields });

/**
 * The `data` of a compatible frame (docs/http-api.md). Clients can tell the kinds apart by `type`, or by the field that
 * only one kind has.
 */
export const compatibleFrameSchema = z.discriminatedUnion('type', [
  frame('phase', {
    phase: z
      .enum(['action_phase', 'tool_phase'])
      .describe('`action_phase`: the model speaks. `tool_phase`: a tool runs.'),
    phaseIndex: phase.shape.index,
    cycleIndex: phase.shape.cycle,
  }),
  frame('chunk', { chunk: chunk.shape.content, notice: noticeSchema.optional() }),
  frame('tool_calls', { tool_calls: toolCalls.shape.calls }),
  frame('tool_output', {
    tool_output: toolOutputSchema.omit({ type: true }).describe('Output of a command while it runs.'),
  }),
  frame('tool_result', { tool_result: toolResult.omit({ type: true }).describe('The outcome of a call.') }),
  frame('write_session', {
    write_session: writeSession.omit({ type: true }).describe('The stage of a long file.'),
  }),
  frame('input_requested', {
    input_requested: requested.omit({ type: true }).describe('The turn waits for a reply.'),
  }),
  frame('input_resolved', {
    input_resolved: resolved.omit({ type: true }).describe('An input request was resolved.'),
  }),
  frame('steer', {
    steer: steer.omit({ type: true }).describe('A message of the user into the running turn.'),
  }),
  frame('reset', { reset: reset.omit({ type: true }).describe('Withdraws earlier events.') }),
  frame('done', { ...done.omit({ type: true }).shape, done: z.literal(true), phase: z.literal('complete') }),
  frame('error', {
    error: error.shape.message,
    code: turnErrorCodeSchema,
    unapplied: error.shape.unapplied,
  }),
]);

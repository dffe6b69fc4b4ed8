import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { jsonValueSchema } from '../values/json-value.ts';
import { type TraceType, traceSourceSchema, traceTypeSchema } from '../turn/trace-event.ts';
import { nextOffsetSchema } from './paging.ts';

/** Shorter names under which a query may ask for a type. */
const TYPE_ALIASES: Readonly<Record<string, TraceType>> = {
  phase_start: 'orchestration_phase_start',
  phase_end: 'orchestration_phase_end',
  tool_executed: 'tool_result',
  error_occurred: 'system_error',
};

const DEFAULT_LIMIT = 50;
/** The most traces on a page. A request for more is not refused but gets this many. */
const MAX_LIMIT = 200;

const digits = (expected: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `expected ${expected}`)
    .transform(Number);

/** Query of `GET /api/trace/logs`, with aliases of field names already replaced. */
export const traceQuerySchema = z.object({
  projectId: idSchema,
  requestId: idSchema
    .optional()
    .describe('Returns only traces of this turn, or of this write session if no turn began it.'),
  type: z
    .string()
    .transform((name) => TYPE_ALIASES[name] ?? name)
    .pipe(traceTypeSchema)
    .optional()
    .describe('Returns only traces of this type.'),
  source: traceSourceSchema.optional().describe('Returns only traces from this source.'),
  limit: digits('a positive integer')
    .refine((limit) => limit > 0, 'expected a positive integer')
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .default(DEFAULT_LIMIT)
    .describe('Number of traces to return. More than 200 returns 200. Default: 50.'),
  offset: digits('a non-negative integer')
    .default(0)
    .describe('Number of traces to skip, counted from the newest. Default: 0.'),
});

/** A stored trace event as clients see it. */
const traceEventSchema = z.object({
  id: z.string().describe('Id of the trace.'),
  projectId: z.string(),
  requestId: z.string().describe('Id of the turn, or of the write session if no turn began it.'),
  type: traceTypeSchema,
  source: traceSourceSchema,
  summary: z.string().describe('What happened, in one line.'),
  details: jsonValueSchema.describe('More about it, depending on `type`.'),
  phaseIndex: z.number().int().nullable().describe('Index of the phase: 0, 1, 2 … Null outside of phases.'),
  cycleIndex: z.number().int().nullable().describe('Number of tools that had run. Null outside of phases.'),
  error: z.string().nullable().describe('What failed. Null if nothing did.'),
  metadata: z
    .record(z.string(), jsonValueSchema)
    .nullable()
    .describe('Data for programs that belongs to the trace. Null if there is none.'),
  createdAt: z.string().describe('When it happened, in ISO 8601.'),
});
export type TraceEvent = z.infer<typeof traceEventSchema>;

/**
 * Response to `GET /api/trace/logs`. `offset` counts from the newest trace, but the traces of a page are listed oldest
 * first.
 */
export const traceListSchema = z.object({
  events: z.array(traceEventSchema).describe('The traces of this page, oldest first.'),
  total: z.number().int().describe('Number of traces that match, on all pages.'),
  nextOffset: nextOffsetSchema,
});
export type TraceList = z.infer<typeof traceListSchema>;

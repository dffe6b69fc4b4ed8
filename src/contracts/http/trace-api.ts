import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { jsonValueSchema } from '../values/json-value.ts';
import { type TraceType, traceSourceSchema, traceTypeSchema } from '../turn/trace-event.ts';
import { nextOffsetSchema } from './message-api.ts';

/** Shorter names under which a query may ask for a type. */
const typeAliases: Readonly<Record<string, TraceType>> = {
  phase_start: 'orchestration_phase_start',
  phase_end: 'orchestration_phase_end',
  tool_executed: 'tool_result',
  error_occurred: 'system_error',
};

const DEFAULT_LIMIT = 50;
/** Largest number of events of a page; a request for more gets this many, and no refusal. */
const MAX_LIMIT = 200;

const digits = (expected: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `expected ${expected}`)
    .transform(Number);

/** Query of `GET /api/trace/logs`, with the names of its fields already folded. */
export const traceQuerySchema = z.object({
  projectId: idSchema,
  requestId: idSchema.optional(),
  type: z
    .string()
    .transform((name) => typeAliases[name] ?? name)
    .pipe(traceTypeSchema)
    .optional(),
  source: traceSourceSchema.optional(),
  limit: digits('a positive integer')
    .refine((limit) => limit > 0, 'expected a positive integer')
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .default(DEFAULT_LIMIT),
  offset: digits('a non-negative integer').default(0),
});
export type TraceQuery = z.infer<typeof traceQuerySchema>;

/** A stored trace event as clients see it. */
const traceEventSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  /** Id of the turn; for a write session that no turn began, id of the session. */
  requestId: z.string(),
  type: traceTypeSchema,
  source: traceSourceSchema,
  summary: z.string(),
  details: jsonValueSchema,
  /** 0, 1, 2 …; null outside of phases. */
  phaseIndex: z.number().int().nullable(),
  /** Number of tools executed by then; null outside of phases. */
  cycleIndex: z.number().int().nullable(),
  error: z.string().nullable(),
  metadata: z.record(z.string(), jsonValueSchema).nullable(),
  /** ISO 8601. */
  createdAt: z.string(),
});
export type TraceEvent = z.infer<typeof traceEventSchema>;

/** Answer of `GET /api/trace/logs`: oldest first; `total` counts all that match. */
export const traceListSchema = z.object({
  events: z.array(traceEventSchema),
  total: z.number().int(),
  nextOffset: nextOffsetSchema,
});
export type TraceList = z.infer<typeof traceListSchema>;

import { z } from 'zod';
import { eventBatchSchema, eventIdSchema } from './event-batch.ts';

/**
 * The live lane over HTTP (docs/turns.md "Live lane"): one chunked `POST <gateway>/internal/live/<turnId>` per writer,
 * NDJSON both ways. Request lines: the hello, then event batches (`event-batch.ts`). An empty line is a ping,
 * answered by an empty line. Response lines: `laneReplySchema`.
 */
export const LANE_PATH = '/internal/live';
export const LANE_CONTENT_TYPE = 'application/x-ndjson';
/** Bytes of one line; above the 2 MiB that a Temporal payload, the longest source of an event, may have. */
export const MAX_LANE_LINE_BYTES = 4 * 1024 * 1024;

/** First line of a request: the epoch of this writer, by which the gateway tells older attempts from newer. */
export const laneHelloSchema = z.object({ epoch: z.number().int().nonnegative() });

/** Every other line of a request. `sentAt`: milliseconds since the epoch by the writer's clock, for the lag of the lane. */
export const laneBatchSchema = eventBatchSchema.extend({ sentAt: z.number().optional() });
export type LaneBatch = z.infer<typeof laneBatchSchema>;

/** `cancel`: the user wants the turn to stop. `fenced`: a newer attempt of this step has connected. */
const laneControlSchema = z.enum(['cancel', 'fenced']);
export type LaneControl = z.infer<typeof laneControlSchema>;

/** One line of the gateway's answer. */
export const laneReplySchema = z.union([
  /** Everything sent on this connection up to and including this event has reached the gateway. */
  z.object({ ack: eventIdSchema }),
  z.object({ control: laneControlSchema }),
  /** A line was refused after the status line had gone out; nothing more is read. */
  z.object({ error: z.string() }),
]);
export type LaneReply = z.infer<typeof laneReplySchema>;

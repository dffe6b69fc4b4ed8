import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { eventBatchSchema, eventIdSchema } from './event-batch.ts';
import { toolOutputSchema } from './tool-output.ts';

/**
 * The live lane over HTTP (docs/turns.md "Live lane"). A worker makes one chunked `POST <gateway>/internal/live` per
 * gateway, NDJSON in both directions, for the writers of many turns, each on its own channel. Request lines are
 * `laneLineSchema`, response lines `laneReplySchema`. An empty line is a ping, answered by an empty line.
 */
export const LANE_PATH = '/internal/live';
/** Below this path another gateway reads a turn that this one started: `src/gateway/relay`. */
export const RELAY_PATH = `${LANE_PATH}/turns`;
/** Milliseconds for which a side of a relay may be silent: it then sends an empty line. */
export const RELAY_PING_MS = 5_000;
/** The lane speaks NDJSON in both directions: one line of JSON for a batch, one for a reply. */
export const LANE_CONTENT_TYPE = 'application/x-ndjson';
/** Bytes of one line; above the 2 MiB that a Temporal payload, the longest source of an event, may have. */
export const MAX_LANE_LINE_BYTES = 4 * 1024 * 1024;
/** Events of one line: with more, a gateway would keep everybody else waiting while it takes them. */
export const MAX_LANE_LINE_EVENTS = 1_000;

/** Number of a writer on its connection, given by the worker and never reused. */
const channelSchema = z.number().int().nonnegative();

/** The channel of a line, readable even if the rest is not understood. */
export const laneChannelSchema = z.object({ channel: channelSchema });

/** A batch of events on its way over the live lane, with the time at which it was sent. */
export const laneBatchSchema = eventBatchSchema.extend({
  events: eventBatchSchema.shape.events.max(MAX_LANE_LINE_EVENTS),
  /** Milliseconds since the epoch by the writer's clock, to measure the lag of the lane. */
  sentAt: z.number().optional(),
});

/** One line of a request; a channel has one `open`, then batches, then a `close`. */
export const laneLineSchema = z.object({
  channel: channelSchema,
  /**
   * A writer begins. `proof` shows that it may write for this turn, under the epoch in it
   * (`src/live/http/lane-proof.ts`).
   */
  open: z.object({ turnId: idSchema, proof: z.string() }).optional(),
  batch: laneBatchSchema.optional(),
  /** Output of a command that is running; neither acknowledged nor repeated. */
  output: toolOutputSchema.optional(),
  /** The writer has sent everything; the answer is `closed`. */
  close: z.literal(true).optional(),
});
export type LaneLine = z.infer<typeof laneLineSchema>;

/**
 * What a gateway tells a writer.
 *
 * - `cancel`: the user wants the turn to stop.
 * - `fenced`: a newer attempt of this step has connected.
 * - `interrupt`: the user has sent a message with which the turn continues. Only this step ends.
 */
export const laneControlSchema = z.union([
  z.enum(['cancel', 'fenced']),
  z.object({ interrupt: z.number().int().positive() }),
]);
export type LaneControl = z.infer<typeof laneControlSchema>;

/** One line of the gateway's answer to a writer of the lane: acknowledgements, or a control. */
export const laneReplySchema = z.union([
  /** Acknowledgements by channel: everything sent on it up to and including this event has reached the gateway. */
  z.object({ acks: z.array(z.tuple([channelSchema, eventIdSchema])) }),
  z.object({ channel: channelSchema, control: laneControlSchema }),
  /** Sent after the last acknowledgement of a channel, which has ended. */
  z.object({ channel: channelSchema, closed: z.literal(true) }),
  /** The channel has ended; another one for the same turn would end the same way. */
  z.object({ channel: channelSchema, refused: z.string() }),
  /** A line without a channel was refused; nothing more is read. */
  z.object({ error: z.string() }),
]);
export type LaneReply = z.infer<typeof laneReplySchema>;

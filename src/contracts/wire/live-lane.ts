import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { eventBatchSchema, eventIdSchema } from './event-batch.ts';
import { toolOutputSchema } from './tool-output.ts';
import { MIB } from '../values/units.ts';

/**
 * The live lane over HTTP (docs/turns.md "Live lane"). A worker makes one chunked `POST <gateway>/internal/live` per
 * gateway, NDJSON in both directions, for the writers of many turns, each on its own channel. Request lines are
 * `laneLineSchema`, response lines `laneReplySchema`. An empty line is a ping, answered by an empty line.
 */
export const LANE_PATH = '/internal/live';
/** The path below which a gateway serves the turns that it started to other gateways (`src/gateway/relay`). */
export const RELAY_PATH = `${LANE_PATH}/turns`;
/** Milliseconds between two empty lines that each side of a relay sends, to show the other side that it is there. */
export const RELAY_PING_MS = 5_000;
/** The content type of both directions of the lane, NDJSON: every line is one JSON value. */
export const LANE_CONTENT_TYPE = 'application/x-ndjson';
/**
 * The most bytes of one line. This is more than the 2 MiB of a Temporal payload, from which the longest events come.
 */
export const MAX_LANE_LINE_BYTES = 4 * MIB;
/** The most events of one line. A gateway takes all events of a line in one go, and serves nobody else meanwhile. */
export const MAX_LANE_LINE_EVENTS = 1_000;

/** The number of a writer on its connection. The worker chooses it and does not use it again on this connection. */
const channelSchema = z.number().int().nonnegative();

/**
 * The channel of a line. A gateway reads it even if it does not understand the rest, and then refuses only this
 * channel.
 */
export const laneChannelSchema = z.object({ channel: channelSchema });

/** A batch of events as a line carries it, with the time at which it was published. */
export const laneBatchSchema = eventBatchSchema.extend({
  events: eventBatchSchema.shape.events.max(MAX_LANE_LINE_EVENTS),
  /** Milliseconds since 1970 by the writer's clock, to measure the lag of the lane. */
  sentAt: z.number().optional(),
});

/** One line of a worker's request. A channel has one `open`, then batches and outputs, then a `close`. */
export const laneLineSchema = z.object({
  channel: channelSchema,
  /**
   * A writer begins. `proof` shows that it may write for this turn, and contains its epoch
   * (`src/live/http/lane-proof.ts`).
   */
  open: z.object({ turnId: idSchema, proof: z.string() }).optional(),
  batch: laneBatchSchema.optional(),
  /** Output of a command that is running. It is neither acknowledged nor sent again. */
  output: toolOutputSchema.optional(),
  /** The writer has sent everything. The gateway replies with `closed`. */
  close: z.literal(true).optional(),
});
export type LaneLine = z.infer<typeof laneLineSchema>;

/**
 * What a gateway tells a writer.
 *
 * - `cancel`: the user wants the turn to stop.
 * - `fenced`: a writer with a later epoch has connected, so this one no longer counts.
 * - `interrupt`: the user has sent a message with which the turn continues. Only the step with this number ends.
 */
export const laneControlSchema = z.union([
  z.enum(['cancel', 'fenced']),
  z.object({ interrupt: z.number().int().positive() }),
]);
export type LaneControl = z.infer<typeof laneControlSchema>;

/** One line of the gateway's response to a worker. */
export const laneReplySchema = z.union([
  /** The last event of each channel that has reached the gateway. Everything before it on this channel has, too. */
  z.object({ acks: z.array(z.tuple([channelSchema, eventIdSchema])) }),
  z.object({ channel: channelSchema, control: laneControlSchema }),
  /** Sent after the last acknowledgement of a channel, which has ended. */
  z.object({ channel: channelSchema, closed: z.literal(true) }),
  /** The channel has ended, and `refused` says why. The writer does not try again. */
  z.object({ channel: channelSchema, refused: z.string() }),
  /** The gateway refuses the whole connection and reads no further, for example because a line is not JSON. */
  z.object({ error: z.string() }),
]);
export type LaneReply = z.infer<typeof laneReplySchema>;

import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { LaneControl } from '../contracts/wire/live-lane.ts';
import type { ToolOutput } from '../contracts/wire/tool-output.ts';
import type { EventId } from '../protocol/event-log/event-id.ts';

/**
 * The live lane carries the events that the durable log carries too, with the same ids, only sooner. Whatever
 * goes wrong here costs latency, never data, so nothing in these interfaces throws or reports a lost event.
 */
export interface LanePublisher {
  /**
   * Sends a batch before this tick of the event loop is over. Batches of one writer are published in the order of their
   * ids. `json`: its events as JSON, from whoever has made it already.
   */
  publish(batch: EventBatch, json?: readonly string[]): void;
  /** Sends a piece of output, if there is anybody to send it to; nothing repeats or keeps it. */
  output(output: ToolOutput): void;
  /** Connected, and nothing published more than about a second ago is unacknowledged. */
  readonly acknowledged: boolean;
  /** Waits a bounded time until the gateway has what was published, then ends. */
  close(): Promise<void>;
}

/** For turns without a lane: signals and queries then carry everything, only slower. */
export const silentPublisher: LanePublisher = {
  acknowledged: false,
  publish() {},
  output() {},
  close: () => Promise.resolve(),
};

/** Where a writer's events go, and who it is. */
export interface LaneTarget {
  /** Base URL of the gateway, from the workflow's input. */
  readonly address: string;
  readonly turnId: string;
  /** Epoch of the writer's own events. */
  readonly epoch: number;
  /** May be called more than once with the same control: the gateway repeats it after a reconnect. Must not throw. */
  onControl(control: LaneControl): void;
}

/** Writers' side of the lane, one per process. */
export interface LaneTransport {
  open(target: LaneTarget): LanePublisher;
  /** Drops every open publisher and connection. */
  close(): void;
}

/**
 * Readers' side. `opened` and `closed` of one (turn, epoch) strictly alternate, and every batch that is just being said
 * comes between them; batches may repeat events that came before and may leave gaps.
 */
export interface LaneSink {
  opened(turnId: string, epoch: number, send: (control: LaneControl) => void): void;
  batch(turnId: string, batch: EventBatch): void;
  /** May be lost; comes after the batches that its writer published before it. */
  output(turnId: string, output: ToolOutput): void;
  closed(turnId: string, epoch: number): void;
}

/** A turn as a hub follows it from a feed: up to where it is held already. */
export interface FollowedTurn {
  readonly turnId: string;
  /** Started by this gateway. */
  readonly isOurs: boolean;
  /** Id of the last event that is held; null for none. */
  from(): EventId | null;
}

/** From where a hub gets the events of turns whose writers do not come to it by themselves. */
export interface TurnFeed {
  /** Tells `sink` of the turn as a lane would, from above `from()` on, until the returned function is called. */
  follow(turn: FollowedTurn, sink: LaneSink): () => void;
}

/** Limits of one publisher and of the connection that it shares; times in milliseconds. */
export interface LaneLimits {
  /** What waits for acknowledgement; over either limit the oldest goes. */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** The same of all publishers that write to one gateway. */
  readonly maxLinkBytes: number;
  /** Unacknowledged for so long, the lane no longer counts as healthy. */
  readonly lateMs: number;
  /** Without a word from the gateway for so long although one is due, the connection is made anew. */
  readonly stalledMs: number;
  /** A silent writer pings so often, so that both sides notice a dead peer. */
  readonly pingMs: number;
  /** The longest that `close` waits. */
  readonly closeMs: number;
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** The limits of a publisher in production. */
export const DEFAULT_LANE_LIMITS: LaneLimits = {
  maxBytes: 1024 * 1024,
  maxLines: 10_000,
  maxLinkBytes: 16 * 1024 * 1024,
  lateMs: 1_000,
  stalledMs: 5_000,
  pingMs: 5_000,
  closeMs: 500,
  minBackoffMs: 50,
  maxBackoffMs: 1_000,
};

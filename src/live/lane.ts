import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { LaneControl } from '../contracts/wire/live-lane.ts';

/**
 * The live lane carries the events that the durable log carries too, with the same ids, only sooner. Whatever
 * goes wrong here costs latency, never data, so nothing in these interfaces throws or reports a lost event.
 */
export interface LanePublisher {
  /**
   * Sends a batch in the same tick. Batches of one writer are published in the order of their ids. `json`: its events as
   * JSON, from whoever has made it already.
   */
  publish(batch: EventBatch, json?: readonly string[]): void;
  /** Connected, and nothing published more than about a second ago is unacknowledged. */
  readonly acknowledged: boolean;
  /** Waits a bounded time until the gateway has what was published, then ends. */
  close(): Promise<void>;
}

/** For turns without a lane: signals and queries then carry everything, only slower. */
export const silentPublisher: LanePublisher = {
  acknowledged: false,
  publish() {},
  close: () => Promise.resolve(),
};

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
 * Readers' side. `opened` and `closed` of one (turn, epoch) strictly alternate, and every batch comes between
 * them; batches may repeat events that came before and may leave gaps.
 */
export interface LaneSink {
  opened(turnId: string, epoch: number, send: (control: LaneControl) => void): void;
  batch(turnId: string, batch: EventBatch): void;
  closed(turnId: string, epoch: number): void;
}

/** The part of a pino logger that the lane uses. */
export interface LaneLog {
  warn(details: object, message: string): void;
}

/** Limits of one publisher; times in milliseconds. */
export interface LaneLimits {
  /** What waits for acknowledgement; over either limit the oldest goes. */
  readonly maxBytes: number;
  readonly maxLines: number;
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

export const DEFAULT_LANE_LIMITS: LaneLimits = {
  maxBytes: 1024 * 1024,
  maxLines: 10_000,
  lateMs: 1_000,
  stalledMs: 5_000,
  pingMs: 5_000,
  closeMs: 500,
  minBackoffMs: 50,
  maxBackoffMs: 1_000,
};

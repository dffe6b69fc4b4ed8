import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { LaneControl } from '../contracts/wire/live-lane.ts';
import type { ToolOutput } from '../contracts/wire/tool-output.ts';

/**
 * The live lane carries the events that the durable log carries too, with the same ids, only sooner. A failure here
 * costs latency, never data, so nothing in these interfaces throws or reports a lost event.
 */
export interface LanePublisher {
  /**
   * Sends a batch before this tick of the event loop is over. Batches of one writer are published in the order of their
   * ids. `json` is its events as JSON, if the caller has already made that.
   */
  publish(batch: EventBatch, json?: readonly string[]): void;
  /** Sends a piece of output, if anybody can be sent it; it is neither repeated nor kept. */
  output(output: ToolOutput): void;
  /** True when connected, and nothing that was published more than about a second ago is unacknowledged. */
  readonly isHealthy: boolean;
  /** Waits a bounded time until the gateway has what was published, then ends. */
  close(): Promise<void>;
}

/** The publisher of turns without a lane: signals and queries then carry everything, only more slowly. */
export const noopPublisher: LanePublisher = {
  isHealthy: false,
  publish() {},
  output() {},
  close: () => Promise.resolve(),
};

/** The gateway that a writer's events go to, and the writer itself. */
export interface LaneTarget {
  /** Base URL of the gateway, from the workflow's input. */
  readonly address: string;
  readonly turnId: string;
  /** Epoch of the writer's own events. */
  readonly epoch: number;
  /**
   * Takes a control. The gateway repeats it after a reconnect, so the same one may come more than once. Must not throw.
   */
  onControl(control: LaneControl): void;
}

/** Writers' side of the lane, one per process. */
export interface LaneTransport {
  open(target: LaneTarget): LanePublisher;
  /** Drops every open publisher and connection. */
  close(): void;
}

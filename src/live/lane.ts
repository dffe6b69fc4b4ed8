import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { LaneControl } from '../contracts/wire/live-lane.ts';
import type { ToolOutput } from '../contracts/wire/tool-output.ts';

/**
 * Sends the events of one writer over the live lane. The lane carries the events that the durable log carries too, with
 * the same ids, only sooner. A failure here costs latency or the live output of a command, but no event. Nothing in
 * these interfaces therefore throws or reports a loss.
 */
export interface LanePublisher {
  /**
   * Sends a batch, before this tick of the event loop is over unless it must wait for the connection. Batches of one
   * writer must come in the order of their ids. `json` is the JSON of each event, if the caller has it already.
   */
  publish(batch: EventBatch, json?: readonly string[]): void;
  /**
   * Sends a piece of a command's output. It is dropped if there is no connection, and not sent again if the connection
   * is lost.
   */
  output(output: ToolOutput): void;
  /**
   * True when connected (over Redis, to at least one reader), and nothing that was published more than about a second
   * ago is unacknowledged.
   */
  readonly isHealthy: boolean;
  /**
   * Waits until the gateway has acknowledged what was published, then ends. It waits only for a short time, and not at
   * all for a gateway that is known to be away. Never rejects.
   */
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

/** The writers' side of the lane. Each process has one. */
export interface LaneTransport {
  /** Returns a publisher for one writer. It is `noopPublisher` if events may not be sent to the address. */
  open(target: LaneTarget): LanePublisher;
  /** Drops every open publisher and connection. */
  close(): void;
}

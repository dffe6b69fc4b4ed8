import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { LaneControl } from '../contracts/wire/live-lane.ts';
import type { ToolOutput } from '../contracts/wire/tool-output.ts';
import type { EventId } from '../contracts/wire/event-id.ts';

/**
 * The readers' side of a lane. For each turn and epoch, `opened` and `closed` strictly alternate, and the batches that
 * come live are between them. Batches may repeat events that came before, and may leave gaps.
 *
 * The methods should not throw. If `opened`, `batch` or `output` throws, a lane of HTTP is refused, a turn is no longer
 * read from Redis, and a relay connects again. Other turns go on.
 */
export interface LaneReceiver {
  /** Notes that the writer with this epoch has connected. `send` sends it a control. */
  opened(turnId: string, epoch: number, send: (control: LaneControl) => void): void;
  /** Takes a batch of events. */
  batch(turnId: string, batch: EventBatch): void;
  /** Takes output of a command. Output may be lost. It comes after the batches that its writer published before. */
  output(turnId: string, output: ToolOutput): void;
  /** Notes that the writer with this epoch has left, or that its connection is lost. */
  closed(turnId: string, epoch: number): void;
}

/** A turn that a hub follows by a feed, beginning after the last event that the hub already has. */
export interface FollowedTurn {
  readonly turnId: string;
  /** True when this gateway started the turn. */
  readonly isStartedHere: boolean;
  /** Returns the id of the last event that the hub has. Returns null if it has none. */
  from(): EventId | null;
}

/** A source of the events of turns whose writers do not connect to this gateway. */
export interface TurnFeed {
  /** Passes the turn's events after `from()` to `receiver`, as a lane would. The returned function ends this. */
  follow(turn: FollowedTurn, receiver: LaneReceiver): () => void;
}

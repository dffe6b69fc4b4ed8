import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { LaneControl } from '../contracts/wire/live-lane.ts';
import type { ToolOutput } from '../contracts/wire/tool-output.ts';
import type { EventId } from '../contracts/wire/event-id.ts';

/**
 * The readers' side of a lane. `opened` and `closed` of one (turn, epoch) strictly alternate, and every live batch
 * comes between them; batches may repeat events that came before and may leave gaps.
 */
export interface LaneSink {
  opened(turnId: string, epoch: number, send: (control: LaneControl) => void): void;
  batch(turnId: string, batch: EventBatch): void;
  /** Takes output, which may be lost; it comes after the batches that its writer published before it. */
  output(turnId: string, output: ToolOutput): void;
  closed(turnId: string, epoch: number): void;
}

/** A turn that a hub follows by a feed, from the event that it holds already. */
export interface FollowedTurn {
  readonly turnId: string;
  /** True when this gateway started the turn. */
  readonly isStartedHere: boolean;
  /** Returns the id of the last event that the hub holds. Returns null for none. */
  from(): EventId | null;
}

/** A source of the events of turns whose writers do not come to this gateway by themselves. */
export interface TurnFeed {
  /** Tells `sink` of the turn as a lane would, from above `from()` on, until the returned function is called. */
  follow(turn: FollowedTurn, sink: LaneSink): () => void;
}

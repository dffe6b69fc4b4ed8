import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { LaneControl } from '../contracts/wire/live-lane.ts';
import type { ToolOutput } from '../contracts/wire/tool-output.ts';
import type { EventId } from '../contracts/wire/event-id.ts';

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
  /** Whether this gateway started the turn. */
  readonly isOurs: boolean;
  /** Id of the last event that is held; null for none. */
  from(): EventId | null;
}

/** A source from which a hub gets the events of turns whose writers do not come to it by themselves. */
export interface TurnFeed {
  /** Tells `sink` of the turn as a lane would, from above `from()` on, until the returned function is called. */
  follow(turn: FollowedTurn, sink: LaneSink): () => void;
}

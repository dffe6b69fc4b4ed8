import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { WatchedTurn } from '../../../src/gateway/hub/watched-turn.ts';
import { mergeBatches, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import { outsideList } from '../../../src/protocol/event-log/outside-list.ts';
import { TurnLog } from '../../../src/protocol/event-log/turn-log.ts';
import type { EventId } from '../../../src/contracts/wire/event-id.ts';
import type { TurnViewer } from '../../../src/gateway/ports/live-turns.ts';

/** The workflow's list, as far as the model needs it. */
export interface WorkflowLog {
  append(event: TurnEvent): void;
  apply(batches: readonly EventBatch[]): void;
  beginStep(): { readonly step: number; readonly fromSeq: number; readonly after: string | null };
  stepEvents(): TurnEvent[];
  endLostStep(): void;
  takePrelude(): EventBatch[];
  ownEvents(): EventBatch[];
  terminalPosition(): { readonly terminalId: string; readonly terminalAfter: string | null };
  page(after: EventId | null): { readonly batches: EventBatch[] };
}

/** A gateway's list of the turn. */
export interface Hub {
  readonly lastId: EventId | null;
  readonly hasEnded: boolean;
  addBatches(batches: readonly EventBatch[]): { readonly hasSeenEnd: boolean };
  finish(events: readonly LoggedEvent[]): void;
  attach(after: EventId | null, viewer: TurnViewer): () => void;
  endViewers(): void;
}

/** What a close from outside the workflow stores. */
export interface OutsideEvents {
  readonly ownEvents: EventBatch[];
  readonly terminalId: string;
  readonly terminalAfter: string | null;
}

/** The code under test; the model around it only crashes, loses, delays and repeats. */
export interface Parts {
  createLog(): WorkflowLog;
  createHub(): Hub;
  merge(batches: readonly EventBatch[]): LoggedEvent[];
  outsideClose(durable: EventBatch[]): OutsideEvents;
}

/** The parts that the product runs. */
export const productParts: Parts = {
  createLog: () => new TurnLog(),
  createHub: () =>
    new WatchedTurn((error) => {
      throw error;
    }),
  merge: mergeBatches,
  outsideClose: outsideList,
};

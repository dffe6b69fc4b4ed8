import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';
import type { LoggedEvent } from '../../protocol/event-log/event-log.ts';

/** One page of a turn's durable events, as its workflow answers `eventsSince`. */
export interface DurablePage {
  /** The events after the id that was given. A terminal event is never among them. */
  readonly batches: readonly EventBatch[];
  /** True when the page was cut at its size limit. Ask again from the last id of the page. */
  readonly more: boolean;
  /** True when the workflow is closed or unknown. The end, or the missing start, has to be found in Postgres. */
  readonly isClosed?: boolean;
}

/**
 * The sources of the events of a turn that the live lane did not bring. Production:
 * `src/gateway/turns/temporal-turn-sources.ts`. Each method rejects when its server cannot be reached, and the hub asks
 * again later.
 */
export interface TurnSources {
  /**
   * Asks the workflow for one page of its events: those after `from`, or from the first one if `from` is null. `signal`
   * is aborted at the deadline, so that queries do not pile up, and when the hub stops.
   */
  queryEvents(turnId: string, from: EventId | null, signal: AbortSignal): Promise<DurablePage>;
  /**
   * Returns the surviving events of an ended turn, the terminal event last (`TurnRepository.findEvents`). Returns
   * undefined while the turn runs or is unknown.
   */
  findEnded(turnId: string): Promise<{ readonly events: readonly LoggedEvent[] } | undefined>;
  /**
   * Starts the workflow of a running turn if it was never started, and closes the turn if its workflow is gone
   * (docs/turns.md "Starting a turn"). Does nothing for any other turn.
   */
  reconcile(turnId: string): Promise<unknown>;
}

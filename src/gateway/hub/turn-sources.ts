import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';
import type { StoredEvent } from '../../protocol/event-log/event-log.ts';

/** The answer of a turn's workflow to `eventsSince`. */
export interface DurablePage {
  /** Listed events above the id that was given; never a terminal event. */
  readonly batches: readonly EventBatch[];
  /** True when the page was cut at its size limit: ask again from its last id. */
  readonly more: boolean;
  /** True when the workflow is closed or unknown. The end, or the missing start, has to be found in Postgres. */
  readonly isClosed?: boolean;
}

/**
 * The sources of a turn's events that the live lane did not bring. Production: `turn-sources.ts` over Temporal and
 * Postgres. Each may throw when the other side cannot be reached; the hub then asks again later.
 */
export interface TurnSources {
  /** Asks the running workflow. `signal` is aborted at the deadline, so that queries do not pile up. */
  queryEvents(turnId: string, from: EventId | null, signal: AbortSignal): Promise<DurablePage>;
  /** The surviving list of an ended turn, its terminal event last. Undefined while the turn runs or is unknown. */
  findEnded(turnId: string): Promise<{ readonly events: readonly StoredEvent[] } | undefined>;
  /**
   * Starts a turn whose workflow was never started and closes one whose workflow is gone (docs/turns.md "Starting a
   * turn").
   */
  reconcile(turnId: string): Promise<unknown>;
}

import type { Clock } from '../../base/timing/clock.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';
import type { LoggedEvent } from '../../protocol/event-log/event-log.ts';
import { withinDeadline } from './deadline.ts';
import type { DurablePage, TurnSources } from './turn-sources.ts';

/**
 * Milliseconds that a query to a workflow may take. After that, a new query is likely to be answered sooner than this
 * one (docs/turns.md "Turn hub").
 */
const QUERY_DEADLINE_MS = 2_000;
/** Milliseconds that reading an ended turn from Postgres may take, and reconciling a turn. */
const STORE_DEADLINE_MS = 5_000;

export interface BoundedSourcesDeps {
  readonly turnId: string;
  readonly sources: TurnSources;
  readonly clock: Pick<Clock, 'after'>;
  /** Ends what is under way when it is aborted. No method may be called afterwards. */
  readonly stop: AbortSignal;
  /** Called when a source fails or takes too long. `what` completes “cannot … the turn”. */
  onFailure(error: unknown, what: string): void;
}

/**
 * The sources of one turn, each with a deadline. What fails, is late or is stopped resolves to undefined. Never
 * rejects.
 */
export class BoundedSources {
  readonly #deps: BoundedSourcesDeps;

  constructor(deps: BoundedSourcesDeps) {
    this.#deps = deps;
  }

  /** Asks the workflow for one page of its events, as `TurnSources.queryEvents` does. */
  queryEvents(from: EventId | null): Promise<DurablePage | undefined> {
    const { sources, turnId } = this.#deps;
    return this.#withinDeadline(QUERY_DEADLINE_MS, 'query', (signal) =>
      sources.queryEvents(turnId, from, signal),
    );
  }

  /** Reads the end of the turn. `events` are undefined while it has none. */
  readEnd(): Promise<{ readonly events: readonly LoggedEvent[] | undefined } | undefined> {
    const { sources, turnId } = this.#deps;
    return this.#withinDeadline(STORE_DEADLINE_MS, 'read the end of', async () => ({
      events: (await sources.findEnded(turnId))?.events,
    }));
  }

  /** Reconciles the turn with its workflow (docs/turns.md "Starting a turn"). Also resolves if that failed. */
  async reconcile(): Promise<void> {
    const { sources, turnId } = this.#deps;
    await this.#withinDeadline(STORE_DEADLINE_MS, 'reconcile', () => sources.reconcile(turnId));
  }

  #withinDeadline<T>(
    ms: number,
    what: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, stop } = this.#deps;
    const onFailure = (error: unknown): void => this.#deps.onFailure(error, what);
    return withinDeadline({ clock, ms, stop, onFailure }, work);
  }
}

import type { EventBatch } from '../wire/event-batch.ts';
import type { Waste } from './model-call.ts';

/** Answer of the `eventsSince` query: at most 512 KiB of batches, `more` when there is a next page. */
export interface EventsPage {
  readonly batches: EventBatch[];
  readonly more: boolean;
}

/** Answer of the `turnStatus` query. */
export interface TurnProgress {
  /** Index and kind of the phase that runs, `null` before the first. */
  readonly phase: { readonly index: number; readonly kind: 'action' | 'tool' } | null;
  /** Tools executed so far. */
  readonly cycle: number;
  readonly cancelRequested: boolean;
  readonly waste: Waste;
}

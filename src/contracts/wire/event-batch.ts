import { z } from 'zod';
import { turnEventSchema } from './turn-event.ts';

/** The id of an event as text, `<epoch>-<seq>`. Ids are ordered by epoch, then by seq, as numbers (docs/events.md). */
export const eventIdSchema = z.string().regex(/^\d{1,9}-\d{1,9}$/, 'expected <epoch>-<seq>');

/**
 * Consecutive events of one epoch, the form in which they are signalled, stored and sent on the live lane. `events[i]`
 * has the seq `seq + i`. A text chunk of the model is a plain string, so that a reader can resume between any two
 * chunks at little cost in history bytes.
 */
export const eventBatchSchema = z.object({
  epoch: z.number().int().nonnegative(),
  seq: z.number().int().nonnegative(),
  /** Id of the stored event that the batch follows; present only when it begins with the first event of its epoch. */
  after: eventIdSchema.nullable().optional(),
  events: z.array(z.union([z.string(), turnEventSchema])).min(1),
});
export type EventBatch = z.infer<typeof eventBatchSchema>;

/**
 * Longest wait between two batches of an attempt, in milliseconds, while its lane is healthy. It may be long, since
 * viewers on a healthy lane do not wait for batches. With 4 s an answer of 20 s costs 9 signals, with 2 s it would cost
 * 13. Those 13 would already exceed the 60 history events that docs/performance.md allows such an answer.
 */
export const MAX_BATCH_WAIT_MS = 4_000;

/**
 * Result of the `eventsSince` query: a page of at most about 512 KiB of events in all, or one event that is larger.
 * `more` is true when there is a next page.
 */
export interface EventsPage {
  readonly batches: EventBatch[];
  readonly more: boolean;
}

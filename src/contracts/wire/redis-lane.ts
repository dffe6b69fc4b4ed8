import { z } from 'zod';
import { laneControlSchema } from './live-lane.ts';
import { toolOutputSchema } from './tool-output.ts';

/*
 * The live lane over Redis (docs/turns.md "Live lane over Redis"): a stream, a channel and a channel back for each
 * turn, named by `src/live/redis/turn-names.ts`. A writer's message consists of JSON lines: `writerLineSchema`, then
 * batches (`laneBatchSchema`), none when the writer only announces itself. The stream has the messages with batches,
 * each under the id of its last event.
 */

const epochSchema = z.number().int().nonnegative();

/** First line of a writer's message. `closed` is true when it has sent everything. */
export const writerLineSchema = z.object({
  writer: epochSchema,
  /** Output, which is only for those who listen at that moment: the stream does not hold it. */
  output: toolOutputSchema.optional(),
  closed: z.literal(true).optional(),
});
export type WriterLine = z.infer<typeof writerLineSchema>;

/**
 * A message from readers to the writers of a turn: that they are there, or a control for the writer with this epoch.
 */
export const readerMessageSchema = z.union([
  z.object({ who: z.literal(true) }),
  z.object({ to: epochSchema, control: laneControlSchema }),
]);
export type ReaderMessage = z.infer<typeof readerMessageSchema>;

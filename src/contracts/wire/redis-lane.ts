/*
 * The live lane over Redis (docs/turns.md "Live lane over Redis"): each turn has a stream, a channel to readers and a
 * channel back to writers, named by `src/live/redis/turn-names.ts`. A writer's message consists of JSON lines:
 * `writerLineSchema`, then batches (`laneBatchSchema`). A writer that only announces itself sends none. The stream
 * contains the messages that have batches, each under the id of its last event.
 */
import { z } from 'zod';
import { laneControlSchema } from './live-lane.ts';
import { toolOutputSchema } from './tool-output.ts';

const epochSchema = z.number().int().nonnegative();

/**
 * First line of a writer's message. `writer` is the epoch of the writer, and `closed` says that it has sent everything.
 */
export const writerLineSchema = z.object({
  writer: epochSchema,
  /** Output of a command. It reaches only those who listen at that moment, because it is not put into the stream. */
  output: toolOutputSchema.optional(),
  closed: z.literal(true).optional(),
});
export type WriterLine = z.infer<typeof writerLineSchema>;

/**
 * A message from readers to the writers of a turn. `who` asks all writers to announce themselves, and `to` is the epoch
 * of the writer that `control` is for.
 */
export const readerMessageSchema = z.union([
  z.object({ who: z.literal(true) }),
  z.object({ to: epochSchema, control: laneControlSchema }),
]);
export type ReaderMessage = z.infer<typeof readerMessageSchema>;

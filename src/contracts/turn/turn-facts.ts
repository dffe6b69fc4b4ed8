import { z } from 'zod';

/** The protocols, by which model and tools alternate in a turn (docs/protocol.md). */
export const protocolNameSchema = z.enum(['two_stage', 'standard']);
export type ProtocolName = z.infer<typeof protocolNameSchema>;

/** The status of a turn. `running` becomes exactly one of the others, which stays. */
export const turnStatusSchema = z.enum(['running', 'completed', 'cancelled', 'failed']);
export type TurnStatus = z.infer<typeof turnStatusSchema>;

/** A turn's status as clients see it: a turn that waits for somebody still runs. */
export const shownStatusSchema = z.enum([...turnStatusSchema.options, 'waiting']);
export type ShownStatus = z.infer<typeof shownStatusSchema>;

/** The cost of a turn's model calls, in whole millionths of the currency of the prices. */
export const costSchema = z.object({
  total: z.number().int(),
  wasted: z.number().int().describe('The part for attempts that were repeated.'),
});
export type TurnCost = z.infer<typeof costSchema>;

/** Work of a turn that was in vain: refused duplicates, tokens that were generated again, withdrawn text. */
export const wasteSchema = z.object({
  duplicatesRefused: z.number().int(),
  retriedTokens: z.number().int(),
  discardedCharacters: z.number().int(),
});
export type TurnWaste = z.infer<typeof wasteSchema>;

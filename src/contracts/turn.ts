import { z } from 'zod';

/** How model and tools alternate in a turn (docs/protocol.md). */
export const protocolNameSchema = z.enum(['two_stage', 'standard']);
export type ProtocolName = z.infer<typeof protocolNameSchema>;

export const turnStatusSchema = z.enum(['running', 'completed', 'cancelled', 'failed']);
export type TurnStatus = z.infer<typeof turnStatusSchema>;

/** What a turn did in vain. */
export const wasteSchema = z.object({
  duplicatesRefused: z.number().int(),
  retriedTokens: z.number().int(),
  discardedCharacters: z.number().int(),
});
export type Waste = z.infer<typeof wasteSchema>;

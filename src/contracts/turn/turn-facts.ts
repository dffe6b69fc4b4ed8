import { z } from 'zod';

/** The names of the protocols, by which model and tools alternate in a turn (docs/protocol.md). */
export const protocolNameSchema = z
  .enum(['two_stage', 'standard'])
  .describe('How model and tools alternate.');
export type ProtocolName = z.infer<typeof protocolNameSchema>;

/** The status of a turn, as it is stored. `running` changes once, to one of the others. */
export const turnStatusSchema = z.enum(['running', 'completed', 'cancelled', 'failed']);
export type TurnStatus = z.infer<typeof turnStatusSchema>;

/** A turn's status as clients see it: a turn that waits for somebody still runs. */
export const shownStatusSchema = z
  .enum([...turnStatusSchema.options, 'waiting'])
  .describe('State of the turn. `waiting`: it runs and waits for a reply to an input request.');
export type ShownStatus = z.infer<typeof shownStatusSchema>;

/** The cost of a turn's model calls, in whole millionths of the currency of the prices. */
export const costSchema = z.object({
  total: z.number().int().describe('Cost in whole millionths of the currency of the prices.'),
  wasted: z.number().int().describe('The part of `total` that repeated attempts of model calls caused.'),
});
export type TurnCost = z.infer<typeof costSchema>;

/** Work of a turn that was for nothing: refused duplicates, tokens that were generated again, withdrawn text. */
export const wasteSchema = z.object({
  duplicatesRefused: z
    .number()
    .int()
    .describe('Number of tool calls that were refused because they repeat another one.'),
  retriedTokens: z
    .number()
    .int()
    .describe('Tokens that had to be generated again because an attempt was repeated.'),
  discardedCharacters: z
    .number()
    .int()
    .describe('Characters of text that readers had seen and that a `reset` withdrew.'),
});
export type TurnWaste = z.infer<typeof wasteSchema>;

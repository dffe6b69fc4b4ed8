import type { Turn } from './turn.ts';

/** Must hold no phrase of a limit or refusal (notices.ts): this is advice, every tool may still be called. */
const LAST_CYCLE =
  'One tool execution is left in this turn. Spend it on what matters most, or answer with what you have.';

/**
 * Tells the model once that a single cycle is left, in act mode only (docs/storage.md "Context"): a model that is told
 * its budget all the time spends it, one that is told nothing is cut in the middle of its work.
 */
export const hintBudget = ({ context, budgets, counters, messages }: Turn): void => {
  if (context.mode !== 'act' || budgets.maxPhaseCycles - counters.cycles !== 1) return;
  const isTold = messages.some(({ role, content }) => role === 'system' && content === LAST_CYCLE);
  if (!isTold) messages.push({ role: 'system', content: LAST_CYCLE });
};

import { MAX_TURN_MS, type RunSettings } from '../../contracts/turn/budgets.ts';
import { type TurnCounters, createCounters } from './stop-policy.ts';

/** The limits of a turn: its budgets, and the grants beyond them. Plain JSON. */
export interface GrantedBudgets {
  readonly budgets: RunSettings;
  /** The counters as they were at the latest grant: what was in vain counts from there. */
  readonly countersAtGrant: Readonly<TurnCounters>;
}

/** Returns the grants of a turn that begins. There are none, so only its budgets count. */
export const initialGrants = (budgets: RunSettings): GrantedBudgets => ({
  budgets,
  countersAtGrant: createCounters(),
});

/**
 * A grant that a turn gets by a reply at a limit or a message into it: as many tools as it had at first and, where
 * wanted, as much time.
 */
export interface TurnGrant {
  /** True when the grant brings one more `maxTurnMs`, too. */
  readonly addsTime: boolean;
}

/**
 * Lets a turn continue: duplicates, malformed calls, refusals and no progress count from here, and the tools of
 * `settings` may run as often again, up to `maxPhaseCyclesLimit` in all. Counters stay as they are (I7), and no budget
 * decreases. Tokens and repetitions are not granted.
 */
export const grantMore = (
  { budgets, countersAtGrant }: GrantedBudgets,
  counters: Readonly<TurnCounters>,
  settings: RunSettings,
  { addsTime }: TurnGrant,
): GrantedBudgets => {
  const maxPhaseCycles = Math.min(settings.maxPhaseCyclesLimit, counters.cycles + settings.maxPhaseCycles);
  return {
    budgets: {
      ...budgets,
      maxPhaseCycles: Math.max(budgets.maxPhaseCycles, maxPhaseCycles),
      ...(addsTime && { maxTurnMs: Math.min(MAX_TURN_MS, budgets.maxTurnMs + settings.maxTurnMs) }),
    },
    countersAtGrant: { ...counters, ...(!addsTime && { timeCuts: countersAtGrant.timeCuts }) },
  };
};

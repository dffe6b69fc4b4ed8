import { type Budgets, MAX_TURN_MS, type ResolvedConfig } from '../../contracts/turn/budgets.ts';
import { type TurnCounters, createCounters } from './stop-policy.ts';

/** The budgets of a turn with its grants, and where its counters stood at the latest grant. It is plain JSON. */
export interface GrantedBudgets {
  readonly budgets: Budgets;
  /**
   * The counters at the latest grant, except that `timeCuts` is from the latest grant of time. Duplicates, malformed
   * calls, refusals and points for no progress are counted from these values. All are 0 before the first grant.
   */
  readonly countersAtGrant: Readonly<TurnCounters>;
}

/** Returns the budgets of a turn that begins, without any grant. */
export const initialGrants = (budgets: Budgets): GrantedBudgets => ({
  budgets,
  countersAtGrant: createCounters(),
});

/**
 * A grant, which a turn gets by a reply at a limit or by a message into it. It allows `maxPhaseCycles` more tools, up
 * to `maxPhaseCyclesLimit` in all.
 */
export interface TurnGrant {
  /** True when the grant brings one more `maxTurnMs`, too, up to `MAX_TURN_MS` in all. */
  readonly addsTime: boolean;
}

/**
 * Returns the budgets after a grant. Duplicates, malformed calls, refusals and points for no progress are counted from
 * here, and as many more tools may run as `config.maxPhaseCycles` says, up to `maxPhaseCyclesLimit` in all. Counters
 * stay as they are, and no budget decreases (I7 of docs/protocol.md "Invariants"). Tokens and repetitions are not
 * granted.
 */
export const grantMore = (
  { budgets, countersAtGrant }: GrantedBudgets,
  counters: Readonly<TurnCounters>,
  config: ResolvedConfig,
  { addsTime }: TurnGrant,
): GrantedBudgets => {
  const maxPhaseCycles = Math.min(config.maxPhaseCyclesLimit, counters.cycles + config.maxPhaseCycles);
  return {
    budgets: {
      ...budgets,
      maxPhaseCycles: Math.max(budgets.maxPhaseCycles, maxPhaseCycles),
      ...(addsTime && { maxTurnMs: Math.min(MAX_TURN_MS, budgets.maxTurnMs + config.maxTurnMs) }),
    },
    countersAtGrant: { ...counters, ...(!addsTime && { timeCuts: countersAtGrant.timeCuts }) },
  };
};

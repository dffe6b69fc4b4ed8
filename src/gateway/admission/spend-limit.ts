import type { Request } from 'express';
import { DAY_MS } from '../../contracts/values/units.ts';
import type { SpendRepository } from '../../db/usage/spend-repository.ts';
import { accessOf, ownerOf } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';

/**
 * Seconds to wait after a refusal whose only reason is what running turns have reserved. They give back what they do
 * not need.
 */
const RESERVED_SECONDS = 30;

/**
 * Throws `budget_exceeded` for a turn whose key has nothing left to spend today (UTC), unless it is a repeat. A turn
 * that may begin can still reach the budget while it runs.
 */
export const requireBudget = async (
  spend: Pick<SpendRepository, 'loadToday'>,
  req: Request,
  isRepeat: () => Promise<boolean>,
): Promise<void> => {
  const { costPerDay } = accessOf(req);
  if (costPerDay === undefined) return;
  const { spent, reserved } = await withDatabaseDeadline(spend.loadToday(ownerOf(req)));
  if (spent + reserved < costPerDay || (await isRepeat())) return;
  const untilMidnight = Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1_000);
  throw new ApiError('budget_exceeded', 'The turns of this key may cost no more today (UTC).', {
    details: { spent, reserved, limit: costPerDay },
    retryAfterSeconds: spent < costPerDay ? Math.min(RESERVED_SECONDS, untilMidnight) : untilMidnight,
  });
};

/** Returns the turn with the budget of its key, which then also bounds it while it runs. */
export const withBudget = (req: Request, turn: NewTurn): NewTurn => {
  const { costPerDay } = accessOf(req);
  return costPerDay === undefined ? turn : { ...turn, costPerDay };
};

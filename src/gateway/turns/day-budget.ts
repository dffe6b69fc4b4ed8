import type { Request } from 'express';
import { DAY_MS } from '../../contracts/values/units.ts';
import type { SpendRepository } from '../../db/usage/spend-repository.ts';
import { accessOf, ownerOf } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import { fromDatabase } from '../requests/database-read.ts';

/**
 * Seconds after which a turn that was refused because of others' reservations may be asked for again: they give back
 * what they did not need.
 */
const RESERVED_SECONDS = 30;

/** Refuses a turn whose key has nothing left to spend today. A turn that may begin can still reach the budget. */
export const requireBudget = async (
  spend: Pick<SpendRepository, 'today'>,
  req: Request,
  isRepeat: () => Promise<boolean>,
): Promise<void> => {
  const { costPerDay } = accessOf(req);
  if (costPerDay === undefined) return;
  const { spent, reserved } = await fromDatabase(spend.today(ownerOf(req)));
  if (spent + reserved < costPerDay || (await isRepeat())) return;
  const untilMidnight = Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1_000);
  throw new ApiError('budget_exceeded', 'The turns of this key may cost no more today (UTC).', {
    details: { spent, reserved, limit: costPerDay },
    retryAfterSeconds: spent < costPerDay ? Math.min(RESERVED_SECONDS, untilMidnight) : untilMidnight,
  });
};

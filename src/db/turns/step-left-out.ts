import { sql } from 'kysely';
import type { LeftOut } from '../../contracts/model/left-out.ts';
import type { Database } from '../connection/database.ts';
import type { StepKey } from './call-ids.ts';

/**
 * Returns a subquery for the `LeftOut` that holds at a step: the newest one that was stored at this or an earlier step,
 * or null. Each one stored is complete, so it replaces those before it.
 */
export const leftOutUpTo = ({ turnId, step }: StepKey) => sql`(
  select left_out from turn_contexts
  where turn_id = ${turnId} and step <= ${step} and left_out is not null order by step desc limit 1)`;

/**
 * Stores what a step is sent without, and returns true, unless the claim of `epoch` is no longer the step's newest or
 * the turn has ended. The lock on the turn's row, which a claim also takes, lets no claim come between the check of the
 * epoch and the write.
 */
export const storeLeftOut = async (
  db: Database,
  { turnId, step, epoch }: StepKey & { readonly epoch: number },
  leftOut: LeftOut,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    with turn as (
      select (claims #>> array[${String(step)}, 'epoch'])::integer as epoch from turns
      where turn_id = ${turnId} and status = 'running' for update
    )
    update turn_contexts set left_out = ${JSON.stringify(leftOut)}::json
    from turn where turn_id = ${turnId} and step = ${step} and turn.epoch = ${epoch}`.execute(db);
  return numAffectedRows === 1n;
};

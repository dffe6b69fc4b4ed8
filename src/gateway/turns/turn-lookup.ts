import type { Request } from 'express';
import { idSchema } from '../../contracts/ids.ts';
import { sees } from '../access/access.ts';
import { turnNotFound, unavailable } from '../errors/api-error.ts';
import { within } from '../http/time-limit.ts';
import type { TurnReader, TurnView } from '../ports/turns.ts';

/** An outage has to be answered within 2 s (docs/http-api.md). */
export const DATABASE_DEADLINE_MS = 1_800;

/** Result of a read from Postgres, or `database_unavailable` when it takes too long. */
export const fromDatabase = <T>(read: Promise<T>): Promise<T> =>
  within(DATABASE_DEADLINE_MS, read, () => {
    throw unavailable('database');
  });

/**
 * The turn of a path or body. Throws `turn_not_found`, also for a turn of a foreign project, after the same look-up:
 * ids cannot be probed. An impossible id needs none.
 */
export const requireTurn = async (
  req: Request,
  turns: Pick<TurnReader, 'find'>,
  turnId: unknown,
): Promise<TurnView> => {
  const id = idSchema.safeParse(turnId);
  const turn = id.success ? await fromDatabase(turns.find(id.data)) : undefined;
  if (turn && sees(req, turn.projectId)) return turn;
  throw turnNotFound(String(turnId));
};

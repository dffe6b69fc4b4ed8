import type { Request } from 'express';
import { idSchema } from '../../contracts/values/ids.ts';
import { isVisible } from '../access/access.ts';
import { turnNotFoundError } from '../errors/api-error.ts';
import { withDatabaseDeadline } from './database-deadline.ts';
import type { TurnReader, TurnView } from '../ports/turn-views.ts';

/**
 * Returns the turn that a path or body names. Throws `turn_not_found` for an unknown turn. It throws the same for a
 * turn of a foreign project, after the same look-up, so that ids cannot be probed. An id that no turn can have needs no
 * look-up.
 */
export const requireTurn = async (
  req: Request,
  turns: Pick<TurnReader, 'find'>,
  turnId: unknown,
): Promise<TurnView> => {
  const id = idSchema.safeParse(turnId);
  const turn = id.success ? await withDatabaseDeadline(turns.find(id.data)) : undefined;
  if (turn && isVisible(req, turn.projectId)) return turn;
  throw turnNotFoundError(String(turnId));
};

/**
 * Lets requests that look up the same turn at the same time share one look-up, because all viewers of a turn ask for it
 * at once after a restart. If a shared look-up finds no turn, it is repeated, since the turn may have been started
 * meanwhile.
 */
export const shareLookups = (turns: Pick<TurnReader, 'find'>): Pick<TurnReader, 'find'> => {
  const inFlight = new Map<string, Promise<TurnView | undefined>>();
  const findShared = (turnId: string): Promise<TurnView | undefined> => {
    const lookup = turns.find(turnId).finally(() => inFlight.delete(turnId));
    inFlight.set(turnId, lookup);
    return lookup;
  };
  return {
    find: (turnId) => inFlight.get(turnId)?.then((turn) => turn ?? findShared(turnId)) ?? findShared(turnId),
  };
};

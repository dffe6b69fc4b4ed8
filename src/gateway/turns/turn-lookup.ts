import type { Request } from 'express';
import { idSchema } from '../../contracts/ids.ts';
import { isVisible } from '../access/access.ts';
import { turnNotFound } from '../errors/api-error.ts';
import { fromDatabase } from '../requests/database-read.ts';
import type { TurnReader, TurnView } from '../ports/turn-ports.ts';

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
  if (turn && isVisible(req, turn.projectId)) return turn;
  throw turnNotFound(String(turnId));
};

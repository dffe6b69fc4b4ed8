import type { CliContext } from '../context.ts';
import { detailOf, Refused } from '../http/failures.ts';
import { withRetries } from '../http/retry.ts';
import type { TurnRequest } from '../http/turns.ts';

/**
 * Starts a turn. A request whose answer was lost is repeated under its id, which attaches to the turn if it was
 * started (docs/http-api.md). Throws `Unreachable` or `Refused`.
 */
export const startTurn = async (
  { turns, retry, screen }: Pick<CliContext, 'turns' | 'retry' | 'screen'>,
  request: TurnRequest,
): Promise<void> => {
  try {
    await withRetries(retry, () => turns.start(request));
  } catch (error) {
    if (!isAccepted(error)) throw error;
    screen.say(`${error.message} The turn is stored and starts by itself.`);
  }
};

/** Temporal was away after the turn had been stored: it starts later, and its stream can be read now. */
const isAccepted = (error: unknown): error is Refused =>
  error instanceof Refused && error.status === 503 && detailOf(error, 'turnId') !== undefined;

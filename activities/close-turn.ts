import { log } from '@temporalio/activity';
import type { CloseTurnInput } from '../src/contracts/model-call.ts';
import { UnknownTurnError } from '../src/db/turn-close.ts';
import type { CloseOutcome } from '../src/db/turn-close.ts';
import type { TurnRepository } from '../src/db/turn-repository.ts';
import { parseEventId } from '../src/protocol/event-id.ts';
import { assertFirstRun } from './activity-attempt.ts';
import { turnSuperseded } from './failures.ts';
import { openTurnLane } from './turn-lane.ts';
import type { LaneDeps } from './turn-lane.ts';

export interface CloseTurnDeps extends LaneDeps {
  readonly turns: TurnRepository;
}

/**
 * Commits the turn in one transaction, then tells the readers (turns.md "Events and ids"): the terminal event
 * may not be seen by anybody before the reply is stored. The first close wins; a repeat tells the same end.
 */
export const createCloseTurn =
  (deps: CloseTurnDeps) =>
  async (input: CloseTurnInput): Promise<void> => {
    assertFirstRun(input);
    const { won, terminal } = await close(deps, input);
    if (won) log.info('turn ended', logged(input));
    const id = parseEventId(terminal.id);
    if (id === undefined) throw new Error(`expected a terminal event id, received ${terminal.id}`);
    const lane = openTurnLane(deps, input, id.epoch, () => undefined);
    lane.publish({ ...id, after: terminal.after, events: [terminal.event] });
    await lane.close();
  };

/** Without a row there is nothing to close; such a workflow was started by hand and must not retry for ever. */
const close = async ({ turns }: CloseTurnDeps, input: CloseTurnInput): Promise<CloseOutcome> => {
  try {
    return await turns.close(input);
  } catch (error) {
    if (error instanceof UnknownTurnError) throw turnSuperseded(error.message);
    throw error;
  }
};

const logged = ({ turnId, projectId, conversationId, terminal, cycle }: CloseTurnInput) =>
  terminal.type === 'done'
    ? { turnId, projectId, conversationId, status: terminal.status, reason: terminal.reason, cycle }
    : { turnId, projectId, conversationId, status: 'failed', reason: terminal.code, cycle };

import { log } from '@temporalio/activity';
import type { SessionEnded } from '../../src/contracts/write-session.ts';
import type { CloseWriteSessionInput } from '../../src/contracts/payload/session-activities.ts';
import { UnknownSessionError } from '../../src/db/write-session-repository.ts';
import { closeSession, sessionEndedOf } from '../../src/write-session-service/close-session.ts';
import type { SessionDeps } from '../../src/write-session-service/session-deps.ts';
import { assertFirstRun } from '../activity-attempt.ts';
import { turnSuperseded } from '../failures.ts';

export type CloseWriteSessionDeps = Pick<SessionDeps, 'repository' | 'committer'>;

/** Ends the session's row and answers the end that stands, which somebody else may have written before. */
export const createCloseWriteSession =
  (deps: CloseWriteSessionDeps) =>
  async (input: CloseWriteSessionInput): Promise<SessionEnded> => {
    assertFirstRun(input);
    const { won, row } = await close(deps, input);
    const { sessionId, projectId, targetFile, stage } = row;
    if (won) log.info('write session ended', { sessionId, projectId, targetFile, stage });
    return sessionEndedOf(row);
  };

/** Without a row there is nothing to close; such a workflow was started by hand and must not retry for ever. */
const close = async (deps: CloseWriteSessionDeps, { sessionId, end }: CloseWriteSessionInput) => {
  try {
    return await closeSession(deps, sessionId, end);
  } catch (error) {
    if (error instanceof UnknownSessionError) throw turnSuperseded(error.message);
    throw error;
  }
};

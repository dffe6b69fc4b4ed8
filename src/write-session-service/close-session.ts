import type { SessionEnd } from '../contracts/write-session/write-session.ts';
import type { SessionEnded, CommitOutcome } from '../contracts/write-session/session-messages.ts';
import type { SessionEndOutcome } from '../db/write-sessions/write-session-repository.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import type { SessionDeps } from './session-deps.ts';

/**
 * Ends a session as `end`, or as `committed` if an attempt that was given up has written the target nevertheless
 * (docs/write-sessions.md).
 *
 * - The row is marked as `closing` first. From then on no attempt can begin to write, and an attempt that is under way
 *   finds its temporary file gone.
 * - The first end wins.
 * - Draft and contents of the session are then removed. If its commit needs an approval, and it has ended without a
 *   commit, they are kept, and pruned after a day.
 *
 * Throws UnknownSessionError.
 */
export const closeSession = async (
  { repository, committer }: Pick<SessionDeps, 'repository' | 'committer'>,
  sessionId: string,
  end: SessionEnd,
): Promise<SessionEndOutcome> => {
  const row = await repository.markClosing(sessionId);
  const endOutcome =
    row.state === 'ended'
      ? { isEndedHere: false, row }
      : await endClosing({ repository, committer }, row, end);
  const { input, stage } = endOutcome.row;
  if (!input.needsApproval || stage === 'committed') await committer.forget(sessionId);
  return endOutcome;
};

const endClosing = async (
  { repository, committer }: Pick<SessionDeps, 'repository' | 'committer'>,
  row: WriteSessionRow,
  end: SessionEnd,
): Promise<SessionEndOutcome> => {
  const { sessionId } = row;
  // The attempt that stored this outcome was the newest and has cleaned up, so there is nothing to look for.
  if (row.outcome?.kind === 'committed') return repository.end(sessionId, 'committed');
  const settled = await committer.endAttempts(sessionId);
  if (end !== 'committed' && settled === 'not_committed') return repository.end(sessionId, end);
  return repository.end(sessionId, 'committed', plannedOutcome(row));
};

/** Returns how a session ended, from its row. Throws for a row that has not ended. */
export const sessionEndedOf = ({ sessionId, stage, outcome }: WriteSessionRow): SessionEnded => {
  if (stage === 'awaiting_content' || stage === 'committing') {
    throw new Error(`write session ${sessionId}: expected an ended row, received stage ${stage}`);
  }
  return { sessionId, end: stage, ...(outcome?.kind === 'committed' && { content: outcome.content }) };
};

const plannedOutcome = ({ plan }: WriteSessionRow): CommitOutcome | undefined =>
  plan === null ? undefined : { kind: 'committed', content: plan.content };

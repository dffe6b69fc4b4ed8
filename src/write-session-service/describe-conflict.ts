import type { BlockingSession } from '../db/write-sessions/write-session-insert.ts';
import type { BeginConflict } from './begin-session.ts';

/** Why a session could not begin, as far as the caller may know it, and the command that helps. */
export interface ConflictDescription {
  readonly reason: string;
  readonly lock: BeginConflict['lock'];
  /**
   * The session that holds the target, or one of those that hold the slots. Absent if all belong to foreign projects,
   * or if there is none.
   */
  readonly session?: {
    readonly sessionId: string;
    readonly targetFile: string;
    readonly projectId: string;
    readonly conversationId: string | null;
    readonly turnId: string | null;
    readonly command: string;
  };
}

/** The reason if no session holds the target. Which of the two it is cannot be told (`SessionInsertOutcome`). */
const NOBODY_HOLDS_IT =
  'The last write of the file is being undone, or too many write sessions begin and end at the moment.';

/**
 * Describes why a session cannot begin. `isVisible` says whether the caller may know of a project. Of a foreign
 * project, only the existence of a session is mentioned.
 */
export const describeConflict = (
  { lock, holders, maxConcurrent }: BeginConflict,
  isVisible: (projectId: string) => boolean,
): ConflictDescription => {
  const holder = holders.find(({ projectId }) => isVisible(projectId));
  const full = `${maxConcurrent} write sessions are open, as many as one key may have.`;
  if (holders.length === 0) return { lock, reason: NOBODY_HOLDS_IT };
  if (holder === undefined) {
    return { lock, reason: lock === 'slots' ? full : 'Another session has the target.' };
  }
  const { sessionId, targetFile, projectId, conversationId, turnId, openInputId } = holder;
  const command = `orion write cancel ${sessionId}`;
  const waits = openInputId === null ? '' : `, which waits for a reply to ${openInputId}`;
  const holderText = `write session ${sessionId}${begunBy(holder)}${waits}`;
  const reason =
    lock === 'slots'
      ? `${full} One is ${holderText} on ${targetFile}; \`${command}\` ends it.`
      : `${targetFile} belongs to ${holderText}; \`${command}\` frees it.`;
  return { lock, reason, session: { sessionId, targetFile, projectId, conversationId, turnId, command } };
};

const begunBy = ({ projectId, conversationId, turnId }: BlockingSession): string => {
  if (turnId === null) return ` (project ${projectId})`;
  return ` (project ${projectId}, conversation ${conversationId ?? 'unknown'}, turn ${turnId})`;
};

import type { InputResolved } from '../../contracts/wire/input-events.ts';
import type { ResolvedInputRequest } from '../ports/input-port.ts';
import type { AuthorizeCommit, CommitDecision } from '../turn/commit-decision.ts';
import type { Turn } from '../turn/turn.ts';
import { COMMIT_REFUSALS } from '../turn/write-session-notices.ts';
import { requestInput } from './request-input.ts';

/**
 * Asks a person before the commit of a file whose text is complete and kept, and waits. Nobody is asked if an earlier
 * reply allowed the tool for the rest of the turn. Any other approval is good only for the content and the target that
 * were shown.
 */
export const authorizeCommit: AuthorizeCommit = async function* (
  turn,
  { sessionId, target, beginCall },
  content,
) {
  const port = turn.context.inputs;
  if (!port || !beginCall) return denied(COMMIT_REFUSALS.denied);
  const tool = beginCall.declaration.name;
  const inputId = turn.allowanceFor(tool);
  if (inputId !== undefined) return { kind: 'authorized', approval: { inputId } };
  const end = yield* requestInput(turn, port, {
    kind: 'commit',
    checkedCall: beginCall,
    session: { sessionId, content },
    options: ['allow', 'allow_turn', 'deny'],
    default: 'deny',
    message: () => `May ${target} be written?`,
  });
  switch (end.kind) {
    case 'cancelled':
      return denied(COMMIT_REFUSALS.turnCancelled);
    case 'interrupted':
      return denied(COMMIT_REFUSALS.interrupted);
    case 'failed':
      return { kind: 'failed', code: 'write_failed', reason: end.result.error ?? 'it cannot be written' };
    case 'lost':
      return countedRefusal(turn, COMMIT_REFUSALS.notAnswered);
    case 'resolved':
      return authorizeCommitByReply(turn, tool, end.outcome);
    default:
      return end satisfies never;
  }
};

const authorizeCommitByReply = (
  turn: Turn,
  tool: string,
  { event, before }: ResolvedInputRequest,
): CommitDecision => {
  const { reply, inputId } = event;
  if (event.by.kind === 'steer') return denied(COMMIT_REFUSALS.interrupted);
  if (reply !== 'allow' && reply !== 'allow_turn') return countedRefusal(turn, commitRefusalText(event));
  if (reply === 'allow_turn') turn.allowTool(tool, inputId);
  return { kind: 'authorized', approval: { inputId, ...(before !== undefined && { before }) } };
};

const denied = (reason: string): CommitDecision => ({ kind: 'denied', reason });

/** Returns the decision about a commit that is not allowed: it counts as a refusal, like a refused call. */
const countedRefusal = (turn: Turn, reason: string): CommitDecision => {
  turn.meter.count('refusals');
  return denied(reason);
};

const commitRefusalText = ({ by, note }: InputResolved): string => {
  if (by.kind === 'expiry') return COMMIT_REFUSALS.notAnswered;
  if (by.kind === 'limit') return COMMIT_REFUSALS.noMoreRequests;
  const quote = note === undefined || note === '' ? '' : ` The user says: ${note}`;
  return `${COMMIT_REFUSALS.denied}${quote}`;
};

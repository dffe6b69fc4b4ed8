import {
  allHandlersFinished,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  log as workflowLog,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { WriteSessionActivities } from '../../activities/write-session/write-session-activities.ts';
import { turnWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import type { SessionEnded } from '../../src/contracts/write-session/session-messages.ts';
import type { SessionEnd } from '../../src/contracts/write-session/write-session.ts';
import type { WriteSessionInput } from '../../src/contracts/payload/session-workflow-payloads.ts';
import { isSettled, msToExpiry, nextStep, type SessionStep } from '../../src/write-session/session-state.ts';
import { writeSessionEndedSignal } from '../../src/temporal/write-session-messages.ts';
import { CLOSE_WRITE_SESSION_OPTIONS, COMMIT_WRITE_OPTIONS } from '../sdk/activity-options.ts';
import { OpenSession } from './open-session.ts';
import { registerMessageHandlers } from './session-handlers.ts';
import { showStage } from './session-visibility.ts';
import { endSession } from '../sdk/workflow-end.ts';

const { commitWrite } = proxyActivities<Pick<WriteSessionActivities, 'commitWrite'>>(COMMIT_WRITE_OPTIONS);
const { closeWriteSession } =
  proxyActivities<Pick<WriteSessionActivities, 'closeWriteSession'>>(CLOSE_WRITE_SESSION_OPTIONS);

/**
 * Runs one write session (docs/write-sessions.md).
 *
 * - It registers its handlers first. Then it commits what each finalize brings, until a commit succeeds, a cancel comes
 *   or silence lasts too long.
 * - It ends as the session's row says: Completed if the session was committed, otherwise Canceled or Failed with
 *   `session_expired`.
 * - A reset run fails with `turn_superseded` and changes nothing.
 */
export const writeSessionWorkflow = async (input: WriteSessionInput): Promise<SessionEnded> => {
  const session = new OpenSession(input);
  registerMessageHandlers(session);
  // Rejects when Temporal's own Cancel comes.
  const cancelled = CancellationScope.current().cancelRequested;
  cancelled.catch(() => session.apply({ type: 'cancel' }));
  return CancellationScope.nonCancellable(async () => {
    void expireWhenSilent(session);
    const ended = await runToEnd(session);
    showStage(input, ended.end);
    await tellTurn(input, ended);
    await condition(allHandlersFinished);
    return endSession(ended);
  });
};

/**
 * Runs the timer of the session. It is started anew only when it fires, so that activity in the session costs no
 * timers.
 */
const expireWhenSilent = async (session: OpenSession): Promise<void> => {
  while (!isSettled(session.state)) {
    await sleep(Math.max(1, msToExpiry(session.state, Date.now())), { summary: 'expires when silent' });
    session.apply({ type: 'timer', at: Date.now() });
  }
};

const runToEnd = async (session: OpenSession): Promise<SessionEnded> => {
  for (;;) {
    const step = nextStep(session.state);
    switch (step.kind) {
      case 'wait':
        await condition(() => nextStep(session.state).kind !== 'wait');
        break;
      case 'commit':
        await commit(session, step);
        break;
      case 'close':
        await close(session, step.end);
        break;
      case 'ended':
        return endedOf(session, step.end);
      default:
        return step satisfies never;
    }
  }
};

const commit = async (
  session: OpenSession,
  { content, approval }: SessionStep & { kind: 'commit' },
): Promise<void> => {
  const { sessionId } = session.input;
  const scope = new CancellationScope();
  session.commitScope = scope;
  try {
    const outcome = await scope.run(() =>
      commitWrite({
        sessionId,
        firstExecutionRunId: firstRun(),
        ...(content && { content }),
        ...(approval && { approval }),
      }),
    );
    session.apply({ type: 'commit_ended', at: Date.now(), outcome });
    const { ended } = outcome;
    if (ended) session.apply({ type: 'closed', end: ended.end, content: ended.content });
  } catch (error) {
    // Without an outcome, the session ends as cancelled, unless closing its row finds the file written.
    if (!scope.consideredCancelled) workflowLog.error('commit lost', { reason: String(error) });
    session.apply({ type: 'commit_lost' });
  } finally {
    session.commitScope = undefined;
  }
};

const close = async (session: OpenSession, end: SessionEnd): Promise<void> => {
  const { sessionId } = session.input;
  const stored = await closeWriteSession({ sessionId, firstExecutionRunId: firstRun(), end });
  session.apply({ type: 'closed', end: stored.end, content: stored.content });
};

const endedOf = ({ input, state }: OpenSession, end: SessionEnd): SessionEnded => ({
  sessionId: input.sessionId,
  end,
  ...(state.committed && { content: state.committed }),
});

/**
 * Tells the turn, which may wait for this message, that the session has ended. A failure is only logged, since it
 * usually means that the turn itself has ended.
 */
const tellTurn = async ({ turnId }: WriteSessionInput, ended: SessionEnded): Promise<void> => {
  if (turnId === undefined) return;
  try {
    await getExternalWorkflowHandle(turnWorkflowId(turnId)).signal(writeSessionEndedSignal, ended);
  } catch (error) {
    workflowLog.info('the turn was not told', { turnId, reason: String(error) });
  }
};

const firstRun = (): string => workflowInfo().firstExecutionRunId;

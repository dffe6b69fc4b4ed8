import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  log as workflowLog,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { WriteSessionActivities } from '../../activities/write-session/write-session-activities.ts';
import { turnWorkflowId } from '../../src/contracts/values/ids.ts';
import {
  finalizeRequestSchema,
  sessionHoldSchema,
  sessionTouchSchema,
  type FinalizeRequest,
  type SessionEnded,
  type FinalizeOutcome,
} from '../../src/contracts/write-session/session-messages.ts';
import type { SessionEnd } from '../../src/contracts/write-session/write-session.ts';
import type { WriteSessionInput } from '../../src/contracts/payload/session-workflow-payloads.ts';
import {
  isSettled,
  msToExpiry,
  nextStep,
  statusOf,
  type SessionStep,
} from '../../src/write-session/session-state.ts';
import {
  cancelSessionSignal,
  finalizeSignal,
  finalizeUpdate,
  holdSignal,
  sessionStatusQuery,
  touchSignal,
  writeSessionEndedSignal,
} from '../../src/temporal/write-session-messages.ts';
import { closeWriteSessionOptions, commitWriteOptions } from '../sdk/activity-options.ts';
import { OpenSession } from './open-session.ts';
import { answerStackTrace } from '../sdk/sdk-internals.ts';
import { sessionStackTrace, showStage } from './session-visibility.ts';
import { endSession } from '../sdk/workflow-end.ts';

const { commitWrite } = proxyActivities<Pick<WriteSessionActivities, 'commitWrite'>>(commitWriteOptions);
const { closeWriteSession } =
  proxyActivities<Pick<WriteSessionActivities, 'closeWriteSession'>>(closeWriteSessionOptions);

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
  listen(session);
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

/** Sets the handlers of the session's messages. They parse safely, so that no bad message wedges the session. */
const listen = (session: OpenSession): void => {
  setHandler(
    touchSignal,
    (payload: unknown) => {
      const draft = sessionTouchSchema.safeParse(payload ?? {});
      if (draft.success) session.apply({ type: 'touch', at: Date.now(), draft: draft.data.draft });
      else workflowLog.warn('touch ignored', { expected: '{ draft?: { sha256, bytes, lines } }' });
    },
    { description: 'Somebody is still writing: the session expires later. No input needed.' },
  );
  setHandler(
    holdSignal,
    (payload: unknown) => {
      const hold = sessionHoldSchema.safeParse(payload);
      if (hold.success) session.apply({ type: 'hold', hold: hold.data });
      else workflowLog.warn('hold ignored', { expected: '{ inputId, until }' });
    },
    { description: 'Somebody is asked about the commit: sent by its turn, not to be sent by hand.' },
  );
  // Registered after the handlers above, so that a touch or hold that came with the first task is applied before a
  // finalize.
  listenForFinalizes(session);
  setHandler(cancelSessionSignal, () => session.apply({ type: 'cancel' }), {
    description: "Ends the session without a commit, as Temporal's own Cancel does. No input.",
  });
  setHandler(sessionStatusQuery, () => statusOf(session.state), {
    description: 'Stage, draft and time of expiry. No input.',
  });
  answerStackTrace(() => sessionStackTrace(session.state));
};

const listenForFinalizes = (session: OpenSession): void => {
  const finalize = (request: FinalizeRequest): Promise<FinalizeOutcome> => finalizeSession(session, request);
  setHandler(finalizeUpdate, finalize, {
    validator: (request: unknown) => void parseFinalize(request),
    description: 'Commits the content of the input, else the draft, and answers what came of it.',
  });
  setHandler(
    finalizeSignal,
    async (request: unknown) => {
      const parsed = finalizeRequestSchema.safeParse(request ?? {});
      if (parsed.success) await finalize(parsed.data);
      else workflowLog.warn('finalize ignored', { expected: FINALIZE_SHAPE });
    },
    {
      description: 'Commits the draft, as the update of this name does, without an answer. No input needed.',
    },
  );
};

const FINALIZE_SHAPE = '{ content?: { sha256, bytes, lines } }';

/**
 * Parses a finalize. Throws ApplicationFailure for any other value. A validator that throws rejects the update before
 * it enters the history.
 */
const parseFinalize = (request: unknown): FinalizeRequest => {
  const parsed = finalizeRequestSchema.safeParse(request ?? {});
  if (parsed.success) return parsed.data;
  throw ApplicationFailure.nonRetryable(
    `finalize: expected ${FINALIZE_SHAPE}, received ${JSON.stringify(request)}`,
    'validation_failed',
  );
};

/**
 * Handles a finalize that came by signal or update: asks for a commit and waits for its outcome. Without the approval
 * that the session needs, nothing is committed, and the outcome is `approval_required`.
 */
const finalizeSession = async (session: OpenSession, request: FinalizeRequest): Promise<FinalizeOutcome> => {
  const { content, approval } = request;
  const { held } = session.state;
  if (session.input.needsApproval && !approval && !isSettled(session.state)) {
    return { kind: 'approval_required', ...(held && { inputId: held.inputId }) };
  }
  const ticket = session.newTicket();
  session.apply({ type: 'finalize', at: Date.now(), ticket, content, approval });
  await CancellationScope.nonCancellable(() => condition(() => session.answerTo(ticket) !== undefined));
  return session.answerTo(ticket) ?? { kind: 'ended', stage: session.state.stage };
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

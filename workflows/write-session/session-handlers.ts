import {
  ApplicationFailure,
  CancellationScope,
  condition,
  log as workflowLog,
  setHandler,
} from '@temporalio/workflow';
import {
  finalizeRequestSchema,
  sessionHoldSchema,
  sessionTouchSchema,
  type FinalizeRequest,
  type FinalizeOutcome,
} from '../../src/contracts/write-session/session-messages.ts';
import { isSettled, statusOf } from '../../src/write-session/session-state.ts';
import {
  cancelSessionSignal,
  finalizeSignal,
  finalizeUpdate,
  holdSignal,
  sessionStatusQuery,
  touchSignal,
} from '../../src/temporal/write-session-messages.ts';
import { answerStackTrace } from '../sdk/sdk-internals.ts';
import type { OpenSession } from './open-session.ts';
import { sessionStackTrace } from './session-visibility.ts';

/**
 * Sets the handlers of a session's messages, except of Temporal's own Cancel. They parse safely, so that no bad message
 * wedges the session.
 */
export const registerMessageHandlers = (session: OpenSession): void => {
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
  // The handler gets what the validator got, not what it parsed: an absent input is still undefined or null.
  const finalize = async (request: unknown): Promise<FinalizeOutcome> =>
    handleFinalize(session, parseFinalize(request));
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
const handleFinalize = async (session: OpenSession, request: FinalizeRequest): Promise<FinalizeOutcome> => {
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

import { Context } from '@temporalio/activity';
import type { CallModelInput, CallModelResult } from '../../src/contracts/payload/turn-activities.ts';
import type { ModelMessage } from '../../src/contracts/model-message.ts';
import type { ContextRepository } from '../../src/db/context-repository.ts';
import type { SegmentRepository } from '../../src/db/segment-repository.ts';
import { createDurableWriter } from '../../src/live/durable-writer.ts';
import { attemptEpoch } from '../../src/protocol/event-log/event-id.ts';
import { assertFirstRun, withHeartbeat, type HeartbeatDeps } from '../activity-attempt.ts';
import type { TraceDeps } from '../activity-trace.ts';
import { AttemptOutput } from './attempt-output.ts';
import { AttemptStop } from './attempt-stop.ts';
import { whileDatabaseRestarts } from '../../src/db/database-patience.ts';
import { attemptSuperseded, turnSuperseded } from '../failures.ts';
import { ModelTrace } from './model-trace.ts';
import { openTurnLane, type LaneDeps } from '../turn-lane.ts';
import { ProviderErrors } from './provider-errors.ts';
import { readAnswer, type ReadAnswerDeps } from './read-answer.ts';
import type { AppendEvents } from '../append-events.ts';
import { SessionPulse, type SessionPulseDeps } from '../write-session/session-pulse.ts';

export interface CallModelDeps extends LaneDeps, ReadAnswerDeps, HeartbeatDeps, TraceDeps, SessionPulseDeps {
  readonly contexts: ContextRepository;
  readonly segments: Pick<SegmentRepository, 'put'>;
  readonly appendEvents: AppendEvents;
  /** System prompt and earlier messages of the conversation; asked once per turn. */
  readonly buildContext: (input: CallModelInput) => Promise<ModelMessage[]>;
}

/**
 * One attempt of one model call (docs/architecture.md "The way of one turn", step 3): claims its epoch, streams the
 * model to the live lane and to the workflow, stores its segment, and returns the outcome without the text.
 */
export const createCallModel =
  (deps: CallModelDeps) =>
  async (input: CallModelInput): Promise<CallModelResult> => {
    assertFirstRun(input);
    const stop = new AttemptStop(input.options.deadline);
    const errors = new ProviderErrors();
    try {
      return await withHeartbeat(
        deps,
        () => errors.details(),
        () => runAttempt(deps, input, stop, errors),
      );
    } finally {
      stop.dispose();
    }
  };

const runAttempt = async (
  deps: CallModelDeps,
  input: CallModelInput,
  stop: AttemptStop,
  errors: ProviderErrors,
): Promise<CallModelResult> => {
  const { epoch, messages } = await claimEpoch(deps, input, stop);
  const lane = openTurnLane(deps, input, epoch, (control) =>
    stop.stop(control === 'cancel' ? 'cancelled' : 'fenced'),
  );
  const durable = createDurableWriter({
    send: (batches) => deps.appendEvents(input, batches),
    laneHealthy: () => lane.acknowledged,
    onGone: () => stop.stop('gone'),
  });
  const output = new AttemptOutput({ epoch, fromSeq: input.fromSeq, after: input.after }, lane, durable);
  const trace = new ModelTrace(deps, input, epoch);
  const pulse = new SessionPulse(deps, input);
  trace.called(messages);
  try {
    if (epoch !== attemptEpoch(input.step, 1)) await output.reset();
    const outcome = await readAnswer(deps, { input, messages, output, stop, errors, trace, pulse });
    trace.ended(outcome);
    const tail = await durable.finish();
    await whileDatabaseRestarts(
      () => deps.segments.put(input.turnId, epoch, output.segment()),
      stop.lossSignal,
    );
    return { outcome, tail };
  } finally {
    durable.stop();
    await Promise.all([lane.close(), trace.close()]);
  }
};

const claimEpoch = async (
  deps: CallModelDeps,
  input: CallModelInput,
  stop: AttemptStop,
): Promise<{ epoch: number; messages: ModelMessage[] }> => {
  const { info } = Context.current();
  const claim = await whileDatabaseRestarts(
    () =>
      deps.contexts.beginStep({
        turnId: input.turnId,
        step: input.step,
        scheduledAt: new Date(info.currentAttemptScheduledTimestampMs),
        runId: input.firstExecutionRunId,
        messages: input.messages,
        withdrawn: input.withdrawn,
        begin: () => deps.buildContext(input),
      }),
    stop.signal,
  );
  switch (claim.kind) {
    case 'claimed':
      return claim;
    case 'superseded':
      throw attemptSuperseded();
    case 'ended':
      throw turnSuperseded('the turn is closed');
    default:
      return claim satisfies never;
  }
};

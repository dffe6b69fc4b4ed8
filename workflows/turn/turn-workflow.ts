import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log as workflowLog,
  proxyActivities,
  proxySinks,
} from '@temporalio/workflow';
import type { ProtocolConfig } from '../../src/contracts/turn/budgets.ts';
import { errorMessage } from '../../src/contracts/values/error-message.ts';
import type { TurnActivities } from '../../activities/create-activities.ts';
import { runRequest, type TurnPorts } from '../../src/protocol/protocols/run-request.ts';
import type { CloseTurnInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { type TurnOutcome, turnOutcomeOf } from '../../src/contracts/wire/turn-outcome.ts';
import { isTerminal, type TerminalEvent } from '../../src/contracts/wire/turn-event.ts';
import type {
  InputSettings,
  TurnInput,
  TurnSinks,
} from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { TraceCarrier } from './trace-carrier.ts';
import { TurnLog } from '../../src/protocol/event-log/turn-log.ts';
import { ActivityBackedInputs } from './activity-backed-inputs.ts';
import { ActivityBackedModel } from './activity-backed-model.ts';
import { ActivityBackedTools } from './activity-backed-tools.ts';
import { ActivityBackedWriteSessions, registerSessionHandlers } from './activity-backed-write-sessions.ts';
import { CLOSE_TURN_OPTIONS } from '../sdk/activity-options.ts';
import { registerReplyHandlers } from './reply-handlers.ts';
import { registerRunHandlers } from './run-messages.ts';
import type { TurnRun } from './turn-run.ts';
import { isTurnSuperseded } from './superseded-run.ts';
import { takeActivityInput } from './activity-input.ts';
import { ResolutionCarrier } from './resolution-carrier.ts';
import { TurnState } from './turn-state.ts';
import { registerSteerHandlers, TurnSteering } from './turn-steering.ts';
import { showProgress, showStatus } from './turn-visibility.ts';
import { OpenWaits } from './open-waits.ts';
import { endTurn } from '../sdk/workflow-end.ts';

const { closeTurn } = proxyActivities<Pick<TurnActivities, 'closeTurn'>>(CLOSE_TURN_OPTIONS);
const { promptPrefetch } = proxySinks<TurnSinks>();

/** Temporal's deterministic time. */
const clock = { now: () => Date.now() };

/**
 * Runs one chat turn (docs/turns.md "turnWorkflow"): handlers first, then the protocol over activity-backed ports, then
 * the close. Ends as the turn's row says: with the outcome, Canceled, or Failed with the error's code. A reset run
 * fails with `turn_superseded` and changes nothing.
 */
export const turnWorkflow = async (input: TurnInput): Promise<TurnOutcome> => {
  const { turnId, projectId, conversationId, mode, model } = input;
  // Begun in the first workflow task, so that the worker builds the prompt while Temporal schedules the activity that
  // needs it.
  promptPrefetch.begin({ turnId, projectId, conversationId, mode, model });
  // A cancel, by signal or by Temporal, ends only this scope: the run of the protocol, but not the close.
  const cancellationScope = new CancellationScope({ cancellable: true });
  const cancellation = {
    get isRequested() {
      return cancellationScope.consideredCancelled;
    },
  };
  const traces = new TraceCarrier(clock);
  const state = new TurnState(input);
  const openWaits = new OpenWaits();
  const resolutions = new ResolutionCarrier();
  const steering = new TurnSteering();
  const shared = { traces, state, openWaits, resolutions, steering, cancellation };
  const run: TurnRun = { input, turnLog: new TurnLog(), ...shared };
  const writeSessions = new ActivityBackedWriteSessions(run);
  const inputs = new ActivityBackedInputs(run, input.inputs ?? NO_REQUESTS);
  // Set before anything suspends. Signals that came with the start are delivered as their handlers are set, and a query
  // would otherwise find no handler.
  registerRunHandlers(run, cancellationScope);
  registerSessionHandlers(writeSessions, inputs.replies);
  registerReplyHandlers(inputs.replies);
  registerSteerHandlers(steering);

  const terminal = await cancellationScope
    .run(() => runProtocol(run, writeSessions, inputs))
    .catch((error: unknown) => terminalOfError(error, run));
  // Whatever ends the run of the protocol, the row must record it. The workflow's end is never the only record.
  await CancellationScope.nonCancellable(async () => {
    await close(run, writeSessions, terminal);
    // Without this, an update that is still open would be answered with "workflow completed".
    await condition(allHandlersFinished);
  });
  // Called after the close, because it throws for a failed turn.
  return endTurn(terminal);
};

/** The settings of a turn without a port for requests. It makes no requests, so every reply to it is refused. */
const NO_REQUESTS: InputSettings = { approvals: { rules: [], setting: 'never' }, expiryMs: 0 };

const runProtocol = async (
  run: TurnRun,
  writeSessions: ActivityBackedWriteSessions,
  inputs: ActivityBackedInputs,
): Promise<TerminalEvent> => {
  const { input, turnLog, traces, state, cancellation } = run;
  const model = new ActivityBackedModel(run);
  const ports: TurnPorts = {
    adapter: model,
    tools: new ActivityBackedTools(run, model.declarations, writeSessions),
    writeSessions,
    ...(input.inputs && { inputs }),
    steers: run.steering.queue,
    traceService: traces,
    clock,
    cancellation,
  };
  const events = runRequest(ports, {
    projectId: input.projectId,
    requestId: input.turnId,
    content: input.content,
    mode: input.mode,
    protocol: input.protocol,
    config: configOf(input),
  });
  for await (const event of events) {
    if (isTerminal(event)) return event;
    turnLog.append(event);
    if (state.observe(event)) showProgress(run);
  }
  throw new Error('the protocol ended without a terminal event');
};

const configOf = ({
  budgets,
  toolResultRole,
  temperature,
  maxPhaseCyclesLimit,
  maxLateAnswers,
}: TurnInput): ProtocolConfig => ({
  ...budgets,
  toolResultRole,
  temperature,
  maxPhaseCyclesLimit,
  maxLateAnswers,
});

/**
 * Returns the terminal event after a cancel or a defect. Expected failures do not come here, because the core turns
 * them into events. Rethrows the error of a superseded run, which may not close the turn.
 */
const terminalOfError = (error: unknown, { input, traces, state, cancellation }: TurnRun): TerminalEvent => {
  if (isTurnSuperseded(error)) throw error;
  if (cancellation.isRequested || isCancellation(error)) {
    const { usage } = state;
    return { type: 'done', fullContent: '', status: 'cancelled', reason: 'cancelled', usage };
  }
  const reason = errorMessage(error);
  workflowLog.error('turn failed', { reason });
  const { projectId, turnId: requestId } = input;
  traces.record({
    projectId,
    requestId,
    type: 'system_error',
    source: 'system',
    summary: 'the turn failed',
    error: reason,
  });
  return { type: 'error', code: 'internal_error', message: 'The turn failed by an internal error.' };
};

const close = async (
  run: TurnRun,
  writeSessions: ActivityBackedWriteSessions,
  terminal: TerminalEvent,
): Promise<void> => {
  const { status, reason } = turnOutcomeOf(terminal);
  showStatus(run.input, status);
  const summary = `close turn · ${status} (${reason})`;
  // From here on the queue refuses messages, also within this task.
  const unapplied = run.steering.queue.close();
  const request = { ...closeInput(run, writeSessions, terminal), ...(unapplied.length > 0 && { unapplied }) };
  await run.openWaits.for(`the commit: activity closeTurn "${summary}"`, () =>
    closeTurn.executeWithOptions({ ...CLOSE_TURN_OPTIONS, summary }, [request]),
  );
};

const closeInput = (
  run: TurnRun,
  { replaced }: ActivityBackedWriteSessions,
  terminal: TerminalEvent,
): CloseTurnInput => ({
  ...takeActivityInput(run),
  ...run.turnLog.terminalPosition(),
  ownEvents: run.turnLog.ownEvents(),
  terminal: withoutText(terminal),
  ...run.state.figures(run.turnLog.discardedCharacters),
  ...(replaced.length > 0 && { writeSessions: replaced }),
});

/** Returns the event without the answer, which the turn's events contain and the history should not hold twice. */
const withoutText = (terminal: TerminalEvent): CloseTurnInput['terminal'] => {
  if (terminal.type === 'error') return terminal;
  const { fullContent: _stored, ...rest } = terminal;
  return rest;
};

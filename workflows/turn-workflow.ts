import {
  CancellationScope,
  isCancellation,
  log as workflowLog,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities.ts';
import { OrionAgent } from '../src/protocol/turn/orion-agent.ts';
import { eventBatchSchema } from '../src/contracts/wire/event-batch.ts';
import type { CloseTurnInput } from '../src/contracts/payload/turn-activities.ts';
import type { TerminalEvent } from '../src/contracts/wire/turn-event.ts';
import type { TurnInput, TurnProgress } from '../src/contracts/payload/turn-workflow.ts';
import { sessionEndedSchema } from '../src/contracts/write-session.ts';
import { TraceCarrier } from '../src/protocol/turn/trace-carrier.ts';
import { TurnLog } from '../src/protocol/event-log/turn-log.ts';
import { ActivityBackedModel } from './activity-backed-model.ts';
import { ActivityBackedTools } from './activity-backed-tools.ts';
import { ActivityBackedWriteSessions } from './activity-backed-write-sessions.ts';
import { closeTurnOptions } from './activity-options.ts';
import {
  appendEventsSignal,
  cancelTurnSignal,
  eventsSinceQuery,
  turnStatusQuery,
} from '../src/temporal/turn-messages.ts';
import { answerStackTrace } from './sdk-internals.ts';
import { isSuperseded, turnRef, type TurnContext, isTurnFenced } from './turn-context.ts';
import { TurnState } from './turn-state.ts';
import { showProgress, showStatus, turnStack } from './visibility.ts';
import { Waiting } from './waiting.ts';
import { endTurn, outcomeOf, type TurnOutcome } from './workflow-end.ts';
import {
  clientFinalizeFailedSignal,
  writeSessionEndedSignal,
} from '../src/temporal/write-session-messages.ts';

const { closeTurn } = proxyActivities<Pick<Activities, 'closeTurn'>>(closeTurnOptions);

/** Temporal's deterministic time. */
const clock = { now: () => Date.now() };

/**
 * One chat turn (docs/turns.md "turnWorkflow"): handlers first, then the agent over activity-backed ports, then the
 * commit. Ends as the turn's row says: with the outcome, Canceled, or Failed with the error's code; a reset run fails
 * with `turn_superseded` and changes nothing.
 */
export async function turnWorkflow(input: TurnInput): Promise<TurnOutcome> {
  const scope = new CancellationScope({ cancellable: true });
  const cancellation = {
    get requested() {
      return scope.consideredCancelled;
    },
  };
  const traces = new TraceCarrier(clock);
  const [state, waiting] = [new TurnState(), new Waiting()];
  const turn: TurnContext = { input, log: new TurnLog(), traces, state, waiting, cancellation };
  const sessions = new ActivityBackedWriteSessions(turn);
  listen(turn, sessions, scope);

  const terminal = await scope
    .run(() => runAgent(turn, sessions))
    .catch((error: unknown) => lastResort(error, turn));
  await CancellationScope.nonCancellable(() => close(turn, sessions, terminal));
  return endTurn(terminal);
}

/** A bad message sent by hand must not wedge a turn: handlers parse safely and never throw. */
const listen = (turn: TurnContext, sessions: ActivityBackedWriteSessions, scope: CancellationScope): void => {
  const { log } = turn;
  setHandler(
    appendEventsSignal,
    (batches: unknown) => {
      const parsed = eventBatchSchema.array().safeParse(batches);
      if (parsed.success) log.apply(parsed.data);
      else workflowLog.warn('appendEvents ignored', { expected: 'a list of event batches' });
    },
    { description: "Events of a model call, sent by its activity. Orion's own: not to be sent by hand." },
  );
  setHandler(cancelTurnSignal, () => scope.cancel(), {
    description: "Ends the turn with what was said so far, as Temporal's own Cancel does. No input.",
  });
  listenForSessions(sessions);
  setHandler(
    eventsSinceQuery,
    (after) => (isSuperseded() ? { batches: [], more: false } : log.page(after ?? null)),
    { description: 'Events after the one of the input `{ epoch, seq }`, or all: `{ batches, more }`.' },
  );
  setHandler(turnStatusQuery, () => progressOf(turn), {
    description: 'Phase, tools executed so far, waste, and whether a cancel was asked for. No input.',
  });
  answerStackTrace(() => turnStack(turn));
};

const progressOf = ({ log, state, cancellation }: TurnContext): TurnProgress => ({
  phase: state.phase,
  cycle: state.cycle,
  cancelRequested: cancellation.requested,
  waste: state.waste(log.discardedCharacters),
});

const listenForSessions = (sessions: ActivityBackedWriteSessions): void => {
  setHandler(
    writeSessionEndedSignal,
    (ended: unknown) => {
      const parsed = sessionEndedSchema.safeParse(ended);
      if (parsed.success) sessions.noteEnd(parsed.data);
      else workflowLog.warn('writeSessionEnded ignored', { expected: '{ sessionId, end, content? }' });
    },
    { description: 'A write session of this turn has ended, told by its workflow: not to be sent by hand.' },
  );
  setHandler(clientFinalizeFailedSignal, (sessionId: unknown) => sessions.noteClientFailed(sessionId), {
    description: 'The client of a write session could not commit it: the turn does. Input: the session id.',
  });
};

const runAgent = async (
  turn: TurnContext,
  writeSessions: ActivityBackedWriteSessions,
): Promise<TerminalEvent> => {
  const { input, log, traces, state, cancellation } = turn;
  const model = new ActivityBackedModel(turn);
  const agent = new OrionAgent({
    adapter: model,
    tools: new ActivityBackedTools(turn, model.declarations, writeSessions),
    writeSessions,
    traceService: traces,
    clock,
    cancellation,
  });
  const events = agent.handleRequestStreaming({
    projectId: input.projectId,
    requestId: input.turnId,
    content: input.content,
    mode: input.mode,
    protocol: input.protocol,
    config: { ...input.budgets, toolResultRole: input.toolResultRole, temperature: input.temperature },
  });
  for await (const event of events) {
    if (event.type === 'done' || event.type === 'error') return event;
    log.append(event);
    if (state.observe(event)) showProgress(turn);
  }
  throw new Error('the protocol ended without a terminal event');
};

/** The core turns failures into events; what still arrives here is a defect, a cancel or a fence. */
const lastResort = (error: unknown, { input, traces, cancellation }: TurnContext): TerminalEvent => {
  if (isTurnFenced(error)) throw error;
  if (cancellation.requested || isCancellation(error)) {
    const usage = { promptTokens: 0, completionTokens: 0 };
    return { type: 'done', fullContent: '', status: 'cancelled', reason: 'cancelled', usage };
  }
  const why = error instanceof Error ? error.message : String(error);
  workflowLog.error('turn failed', { error: why });
  const { projectId, turnId: requestId } = input;
  traces.record({
    projectId,
    requestId,
    type: 'system_error',
    source: 'system',
    summary: 'the turn failed',
    error: why,
  });
  return { type: 'error', code: 'internal_error', message: 'The turn failed by an internal error.' };
};

const close = async (
  turn: TurnContext,
  sessions: ActivityBackedWriteSessions,
  terminal: TerminalEvent,
): Promise<void> => {
  const { status, reason } = outcomeOf(terminal);
  showStatus(turn.input, status);
  const summary = `close turn · ${status} (${reason})`;
  const request = closeInput(turn, sessions, terminal);
  await turn.waiting.for(`the commit: activity closeTurn "${summary}"`, () =>
    closeTurn.executeWithOptions({ ...closeTurnOptions, summary }, [request]),
  );
};

const closeInput = (
  turn: TurnContext,
  { replaced }: ActivityBackedWriteSessions,
  terminal: TerminalEvent,
): CloseTurnInput => ({
  ...turnRef(turn),
  ...turn.log.terminalPosition(),
  ownEvents: turn.log.ownEvents(),
  terminal: withoutText(terminal),
  usage: terminal.type === 'done' ? terminal.usage : { promptTokens: 0, completionTokens: 0 },
  ...turn.state.figures(turn.log.discardedCharacters),
  ...(replaced.length === 0 ? {} : { writeSessions: replaced }),
});

/** The answer stands in the segments already; sent here it would double the history's bytes. */
const withoutText = (terminal: TerminalEvent): CloseTurnInput['terminal'] => {
  if (terminal.type === 'error') return terminal;
  const { fullContent: _stored, ...rest } = terminal;
  return rest;
};

import {
  CancellationScope,
  isCancellation,
  log as workflowLog,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities.ts';
import { OrionAgent } from '../src/agent/orion-agent.ts';
import { eventBatchSchema } from '../src/contracts/event-batch.ts';
import type { CloseTurnInput, TurnStatus } from '../src/contracts/model-call.ts';
import type { TerminalEvent, TurnEvent } from '../src/contracts/turn-event.ts';
import type { TurnInput } from '../src/contracts/turn-input.ts';
import { sessionEndedSchema } from '../src/contracts/write-session.ts';
import { TraceCarrier } from '../src/protocol/trace-carrier.ts';
import { TurnLog } from '../src/protocol/turn-log.ts';
import { ActivityBackedModel } from './activity-backed-model.ts';
import { ActivityBackedTools } from './activity-backed-tools.ts';
import { ActivityBackedWriteSessions } from './activity-backed-write-sessions.ts';
import { closeTurnOptions } from './activity-options.ts';
import { isTurnFenced } from './fence.ts';
import { appendEventsSignal, cancelTurnSignal, eventsSinceQuery, turnStatusQuery } from './messages.ts';
import { isSuperseded, turnRef } from './turn-context.ts';
import type { TurnContext } from './turn-context.ts';
import { TurnState } from './turn-state.ts';
import { showProgress, showStatus } from './visibility.ts';
import { clientFinalizeFailedSignal, writeSessionEndedSignal } from './write-session-messages.ts';

const { closeTurn } = proxyActivities<Pick<Activities, 'closeTurn'>>(closeTurnOptions);

/** Temporal's deterministic time. */
const clock = { now: () => Date.now() };

/**
 * One chat turn (turns.md "turnWorkflow"): handlers first, then the agent over activity-backed ports, then the
 * commit. Ends with what the turn's row says; a reset run fails with `turn_superseded` and changes nothing.
 */
export async function turnWorkflow(input: TurnInput): Promise<{ status: TurnStatus; reason: string }> {
  const scope = new CancellationScope({ cancellable: true });
  const cancellation = {
    get requested() {
      return scope.consideredCancelled;
    },
  };
  const traces = new TraceCarrier(clock);
  const turn: TurnContext = { input, log: new TurnLog(), traces, cancellation };
  const state = new TurnState();
  const sessions = new ActivityBackedWriteSessions(turn);
  listen(turn, state, sessions, scope);

  const terminal = await scope
    .run(() => runAgent(turn, state, sessions))
    .catch((error: unknown) => lastResort(error, turn));
  const outcome = outcomeOf(terminal);
  showStatus(input, outcome.status);
  await CancellationScope.nonCancellable(() => closeTurn(closeInput(turn, state, sessions, terminal)));
  return outcome;
}

/** A bad message sent by hand must not wedge a turn: handlers parse safely and never throw. */
const listen = (
  { log, cancellation }: TurnContext,
  state: TurnState,
  sessions: ActivityBackedWriteSessions,
  scope: CancellationScope,
): void => {
  setHandler(appendEventsSignal, (batches: unknown) => {
    const parsed = eventBatchSchema.array().safeParse(batches);
    if (parsed.success) log.apply(parsed.data);
    else workflowLog.warn('appendEvents ignored', { expected: 'a list of event batches' });
  });
  setHandler(cancelTurnSignal, () => scope.cancel());
  setHandler(writeSessionEndedSignal, (ended: unknown) => {
    const parsed = sessionEndedSchema.safeParse(ended);
    if (parsed.success) sessions.noteEnd(parsed.data);
    else workflowLog.warn('writeSessionEnded ignored', { expected: '{ sessionId, end, content? }' });
  });
  setHandler(clientFinalizeFailedSignal, (sessionId: unknown) => sessions.noteClientFailed(sessionId));
  setHandler(eventsSinceQuery, (after) =>
    isSuperseded() ? { batches: [], more: false } : log.page(after ?? null),
  );
  setHandler(turnStatusQuery, () => state.progress(cancellation.requested));
};

const runAgent = async (
  turn: TurnContext,
  state: TurnState,
  writeSessions: ActivityBackedWriteSessions,
): Promise<TerminalEvent> => {
  const { input, log, traces, cancellation } = turn;
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
    if (!isModelOutput(event)) log.append(event);
    if (state.observe(event)) showProgress(input, state.progress(cancellation.requested));
  }
  throw new Error('the protocol ended without a terminal event');
};

/** The attempt that produced it has stored it already; everything else is the workflow's own. */
const isModelOutput = (event: TurnEvent): boolean =>
  event.type === 'tool_calls' || (event.type === 'chunk' && event.notice === undefined);

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

const outcomeOf = (terminal: TerminalEvent): { status: TurnStatus; reason: string } =>
  terminal.type === 'done'
    ? { status: terminal.status, reason: terminal.reason }
    : { status: 'failed', reason: terminal.code };

const closeInput = (
  turn: TurnContext,
  state: TurnState,
  { replaced }: ActivityBackedWriteSessions,
  terminal: TerminalEvent,
): CloseTurnInput => ({
  ...turnRef(turn),
  ...turn.log.terminalPosition(),
  ownEvents: turn.log.ownEvents(),
  terminal: withoutText(terminal),
  usage: terminal.type === 'done' ? terminal.usage : { promptTokens: 0, completionTokens: 0 },
  ...state.figures(turn.log.discardedCharacters),
  ...(replaced.length === 0 ? {} : { writeSessions: replaced }),
});

/** The answer stands in the segments already; sent here it would double the history's bytes. */
const withoutText = (terminal: TerminalEvent): CloseTurnInput['terminal'] => {
  if (terminal.type === 'error') return terminal;
  const { fullContent: _stored, ...rest } = terminal;
  return rest;
};

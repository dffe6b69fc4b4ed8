import { workflowInfo, ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { TurnInput } from '../src/contracts/payload/turn-workflow.ts';
import { type TurnRef, TURN_SUPERSEDED } from '../src/contracts/payload/turn-activities.ts';
import type { TraceCarrier } from '../src/protocol/turn/trace-carrier.ts';
import type { TurnLog } from '../src/protocol/event-log/turn-log.ts';
import type { TurnState } from './turn-state.ts';
import type { Waiting } from './waiting.ts';

/** What the parts of one turn share: its input, its log, its traces, what is shown of it, and whether a user has cancelled it. */
export interface TurnContext {
  readonly input: TurnInput;
  readonly log: TurnLog;
  readonly traces: TraceCarrier;
  readonly state: TurnState;
  readonly waiting: Waiting;
  readonly cancellation: { readonly requested: boolean };
}

/** The fields that every activity of the turn carries. Takes the prelude: call it once per activity. */
export const turnRef = ({ input, log, traces }: TurnContext) =>
  ({
    turnId: input.turnId,
    projectId: input.projectId,
    conversationId: input.conversationId,
    firstExecutionRunId: workflowInfo().firstExecutionRunId,
    ...(input.liveLane === undefined ? {} : { liveLane: input.liveLane }),
    prelude: log.takePrelude(),
    traces: traces.carried(),
  }) satisfies TurnRef;

/** A run that a reset has started: it may not act, and its log must not be read. */
export const isSuperseded = (): boolean => workflowInfo().runId !== workflowInfo().firstExecutionRunId;

/** An activity found that this run may not act: the turn was reset or has been closed by somebody else. */
export const isTurnFenced = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === TURN_SUPERSEDED;

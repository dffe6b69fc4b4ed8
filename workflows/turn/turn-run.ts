import { workflowInfo, ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { StoredResolution } from '../../src/contracts/inputs/input-request.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import {
  type TurnActivityInput,
  TURN_SUPERSEDED,
} from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { TraceCarrier } from '../../src/protocol/turn/trace-carrier.ts';
import type { TurnLog } from '../../src/protocol/event-log/turn-log.ts';
import type { SteerDesk } from '../../src/protocol/inputs/steer-desk.ts';
import type { TurnState } from './turn-state.ts';
import type { OpenWaits } from './open-waits.ts';

/**
 * Resolutions that are not in the rows of their requests yet. Like traces, they go along with the next activities until
 * one of these has stored them.
 */
export class ResolutionCarrier {
  #pending: readonly StoredResolution[] = [];

  add(resolution: StoredResolution): void {
    this.#pending = [...this.#pending, resolution];
  }

  /**
   * Returns the resolutions for the input of the next activity. The field is missing if there are none, so that the
   * inputs of activities of a turn that asked nobody are unchanged.
   */
  pending(): Pick<TurnActivityInput, 'resolutions'> {
    return this.#pending.length === 0 ? {} : { resolutions: [...this.#pending] };
  }

  /** Notes that an activity with this input, one that stores resolutions, has ended without an error. */
  noteStored({ resolutions = [] }: Pick<TurnActivityInput, 'resolutions'>): void {
    this.#pending = this.#pending.filter((one) => !resolutions.includes(one));
  }
}

/** Work that a message of the user may interrupt. */
export interface InterruptibleWork {
  /** Number of the model call. Null for a wait. */
  readonly step: number | null;
  interrupt(): void;
}

/** The messages of users into the turn, as the turn's parts see them. */
export interface Steering {
  /** The core's port for messages into the turn. */
  readonly desk: SteerDesk;
  /** Runs `work` and returns its result. A message with `now` calls `interrupt` of `running` meanwhile. */
  during<T>(running: InterruptibleWork, work: () => Promise<T>): Promise<T>;
}

/** One run of a turn's workflow: what the parts of the turn share. Created by `turnWorkflow`. */
export interface TurnRun {
  readonly input: TurnInput;
  readonly log: TurnLog;
  readonly traces: TraceCarrier;
  readonly state: TurnState;
  readonly openWaits: OpenWaits;
  readonly resolutions: ResolutionCarrier;
  readonly steering: Steering;
  readonly cancellation: { readonly isRequested: boolean };
}

/** Returns which own tools the turn has. The field is missing if it has none. */
const ownToolChoice = ({ inputs }: TurnInput): Pick<TurnActivityInput, 'ownTools'> => {
  const mayAskUser = inputs?.accepts?.includes('question');
  const hasClientTools = inputs?.accepts?.includes('client_tool');
  return mayAskUser || hasClientTools
    ? {
        ownTools: {
          ...(mayAskUser && { question: mayAskUser }),
          ...(hasClientTools && { client: hasClientTools }),
        },
      }
    : {};
};

/**
 * Returns the fields of `TurnActivityInput` for the next activity. It takes the prelude out of the log, so it must be
 * called only once for each activity.
 */
export const takeActivityEnvelope = ({ input, log, traces, resolutions }: TurnRun) =>
  ({
    turnId: input.turnId,
    projectId: input.projectId,
    conversationId: input.conversationId,
    firstExecutionRunId: workflowInfo().firstExecutionRunId,
    ...resolutions.pending(),
    ...(input.liveLane === undefined ? {} : { liveLane: input.liveLane }),
    ...(input.notifies && { notifies: input.notifies }),
    ...ownToolChoice(input),
    prelude: log.takePrelude(),
    traces: traces.pending(),
  }) satisfies TurnActivityInput;

/** Reports whether this run was started by a reset. Such a run may not act, and its log must not be read. */
export const isResetRun = (): boolean => workflowInfo().runId !== workflowInfo().firstExecutionRunId;

/**
 * Throws ApplicationFailure if this run was started by a reset. The sender of a message then looks up the turn itself.
 */
export const refuseResetRun = (): void => {
  if (!isResetRun()) return;
  const message = 'This run of the turn was reset.';
  throw ApplicationFailure.create({ message, type: TURN_SUPERSEDED, nonRetryable: true });
};

/**
 * Reports whether `error` is that of an activity which found that this run may not act, for example because the turn
 * was reset or another process has closed it.
 */
export const isTurnSuperseded = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === TURN_SUPERSEDED;

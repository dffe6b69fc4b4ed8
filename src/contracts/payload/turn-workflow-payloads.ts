import type { ApprovalPolicy } from '../inputs/approvals.ts';
import type { FallbackModel } from '../model/fallback-model.ts';
import type { OptionalInput } from '../wire/input-events.ts';
import type { Budgets } from '../turn/budgets.ts';
import type { TurnMode } from '../tools/tool-call.ts';
import type { ProtocolName, TurnWaste } from '../turn/turn-facts.ts';

/**
 * Input of `turnWorkflow` and the `start_input` column of its row: all that is needed to start the turn again
 * after any crash. Holds no system prompt, no earlier message and no secret (docs/turns.md "turnWorkflow").
 */
export interface TurnInput {
  /** Version of the protocol core that this turn was started with; the order of port calls may depend on it. */
  readonly revision: 1;
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly model: string;
  /** Models that take over a call when the one before is not available, in this order. Absent means none. */
  readonly fallbacks?: readonly FallbackModel[];
  readonly toolResultRole: 'tool' | 'system';
  readonly budgets: Budgets;
  /** Temperature of the project in this mode. Absent means the default of the mode. */
  readonly temperature?: number;
  readonly liveLane?: string;
  /** Milliseconds without a heartbeat after which an activity counts as lost. */
  readonly heartbeatTimeoutMs: number;
  /**
   * `client` says that the client finalizes write sessions itself; the turn waits for it first
   * (docs/write-sessions.md).
   */
  readonly writeSession?: 'client';
  /** Milliseconds of silence after which a write session of this turn expires. Absent means the default. */
  readonly sessionInactivityMs?: number;
  /** The settings by which the turn asks people. Absent when it asks nobody, as with the default settings. */
  readonly inputs?: InputSettings;
  /** Number of tools that the turn may run in all, whatever it is granted. Absent means as many as any turn may. */
  readonly maxPhaseCyclesLimit?: number;
  /** Number of answers that are forced after its time is over; absent in turns from before there was a bound. */
  readonly maxLateAnswers?: number;
  /** Set when the turn has a cost budget: no model is called whose price is unknown. */
  readonly isBudgeted?: true;
  /** Set when a webhook receives what the turn waits for, and its end. */
  readonly notifies?: true;
  /** True when the namespace has Orion's search attributes. */
  readonly searchAttributes: boolean;
}

/** The input requests that a turn may make, and how long it waits for replies. */
export interface InputSettings {
  readonly approvals: ApprovalPolicy;
  /** Milliseconds after which a request takes its default. */
  readonly expiryMs: number;
  /** The kinds of requests that the client shows or runs beside approvals. Absent means none. */
  readonly accepts?: readonly OptionalInput[];
}

/** The turn whose prompt a worker begins to build before it is asked for. */
export type TurnOfContext = Pick<TurnInput, 'turnId' | 'projectId' | 'conversationId' | 'mode' | 'model'>;

/** The channels by which a turn informs the worker that runs its workflow; the history holds nothing of this. */
export type TurnSinks = {
  readonly context: {
    /** Says that the first model call is about to be scheduled. */
    begin(turn: TurnOfContext): void;
  };
};

/** Answer of the `turnStatus` query: the progress of a running turn. */
export interface TurnProgress {
  /** Index and kind of the running phase, `null` before the first. */
  readonly phase: { readonly index: number; readonly kind: 'action' | 'tool' } | null;
  /** Number of tools executed so far. */
  readonly cycle: number;
  readonly cancelRequested: boolean;
  readonly waste: TurnWaste;
}

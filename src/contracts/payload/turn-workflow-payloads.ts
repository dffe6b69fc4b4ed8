import type { ApprovalPolicy } from '../inputs/approvals.ts';
import type { FallbackModel } from '../model/fallback-model.ts';
import type { OptionalInputKind } from '../wire/input-events.ts';
import type { Budgets } from '../turn/budgets.ts';
import type { TurnMode } from '../tools/tool-call.ts';
import type { ProtocolName, TurnWaste } from '../turn/turn-facts.ts';

/**
 * Input of `turnWorkflow` and the `start_input` column of its row: all that is needed to start the turn again after any
 * crash. It contains no system prompt, no earlier message and no secret (docs/turns.md "turnWorkflow").
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
  /** Models that take over a call, in this order, each when the one before it is not available. Absent means none. */
  readonly fallbacks?: readonly FallbackModel[];
  readonly toolResultRole: 'tool' | 'system';
  readonly budgets: Budgets;
  /** Temperature of the project in this mode. Absent means the default of the mode. */
  readonly temperature?: number;
  readonly liveLane?: string;
  /** Milliseconds without a heartbeat after which an activity counts as lost. */
  readonly heartbeatTimeoutMs: number;
  /**
   * Set when the client may finalize the turn's write sessions itself. When a text is complete, the turn gives the
   * client time before it commits the text (docs/write-sessions.md "In a turn").
   */
  readonly writeSession?: 'client';
  /** Milliseconds of silence after which a write session of this turn expires. Absent means the default. */
  readonly sessionInactivityMs?: number;
  /** The settings by which the turn asks people. Absent when the turn asks nobody, as with the default settings. */
  readonly inputs?: InputSettings;
  /** The most tools that the turn may run in all, grants included. Absent means `MAX_PHASE_CYCLES`. */
  readonly maxPhaseCyclesLimit?: number;
  /**
   * The most answers that are forced after the turn's time is over. Absent in turns that began before there was a
   * limit.
   */
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
  /**
   * Milliseconds after which a request takes its default. Bounds of the turn may make the time shorter (docs/inputs.md
   * "Bounds").
   */
  readonly expiryMs: number;
  /**
   * The kinds of requests that the client can show or, for `client_tool`, answer. Approvals and commits need no entry.
   * Absent means none.
   */
  readonly accepts?: readonly OptionalInputKind[];
}

/** The turn whose prompt a worker begins to build before the first model call asks for it. */
export type TurnToPrompt = Pick<TurnInput, 'turnId' | 'projectId' | 'conversationId' | 'mode' | 'model'>;

/**
 * The Temporal sinks of `turnWorkflow`, by which it informs the worker that runs it. Calls of sinks leave nothing in
 * the history.
 */
export type TurnSinks = {
  readonly promptPrefetch: {
    /** Says that the first model call is about to be scheduled. */
    begin(turn: TurnToPrompt): void;
  };
};

/** Result of the `turnStatus` query: the progress of a running turn. */
export interface TurnProgress {
  /** Index and kind of the running phase. Null before the first. */
  readonly phase: { readonly index: number; readonly kind: 'action' | 'tool' } | null;
  /** Number of tools executed so far. */
  readonly cycle: number;
  readonly cancelRequested: boolean;
  readonly waste: TurnWaste;
}

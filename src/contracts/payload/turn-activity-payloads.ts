import type { ModelEnd, StreamOptions } from '../model/stream-options.ts';
import type { ModelMessage, TokenUsage } from '../model/model-message.ts';
import type { ToolApproval, ToolCall, ToolDeclaration, TurnMode } from '../tools/tool-call.ts';
import type { TurnWaste } from '../turn/turn-facts.ts';
import type { EventBatch } from '../wire/event-batch.ts';
import type { DoneReason, TurnErrorCode } from '../wire/turn-event.ts';
import type { ResultPlace } from '../model/left-out.ts';
import type { ReplacedText } from '../write-session/write-session.ts';
import type { GivenAnswer } from '../inputs/reply.ts';
import type { StoredResolution } from '../inputs/input-request.ts';
import type { AcceptedSteer } from '../inputs/steering.ts';
import type { CarriedTraces } from '../turn/carried-trace.ts';

/** `ApplicationFailure.type` of activities whose run may no longer act (docs/events.md). */
export const TURN_SUPERSEDED = 'turn_superseded';

/** The part that every activity of a turn gets: the turn, and the only run of it that may act (docs/turns.md). */
export interface TurnActivityInput {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  /** First run of the workflow: an activity of any other run must not act. */
  readonly firstExecutionRunId: string;
  /** Base URL of the gateway that reads the live lane, absent when the lane is off. */
  readonly liveLane?: string;
  /** Events of the workflow that the lane has not seen yet. */
  readonly prelude: EventBatch[];
  /** Requests that were resolved since the last activity: their rows are to follow. */
  readonly resolutions?: StoredResolution[];
  /** Traces to store; absent in activities of workflows that were begun before there were traces. */
  readonly traces?: CarriedTraces;
  /** Set when a webhook receives what has happened. */
  readonly notifies?: true;
  /** The tools of this turn beside those of every turn. Absent when there are none. */
  readonly ownTools?: OwnTools;
}

/** Tools that a turn has beside those of every turn. */
export interface OwnTools {
  /** True when the model may ask the user. */
  readonly question?: boolean;
  /** True when the turn's client has declared tools, which its row holds. */
  readonly client?: boolean;
}

/** Input of `callModel`: one model call of a turn. It is the same for all attempts. */
export interface CallModelInput extends TurnActivityInput {
  /** The number of this model call in the turn: 1, 2, … */
  readonly step: number;
  /** First seq of this step; every attempt begins with it. */
  readonly fromSeq: number;
  /** Id of the stored event that the first event of the step follows. */
  readonly after: string | null;
  readonly mode: TurnMode;
  readonly model: string;
  /** The model that `model` replaces in this step because it was not available. Absent if `model` is the turn's own. */
  readonly insteadOf?: string;
  /**
   * The most tokens that the prompt may have, as counted here. Absent when `model` is the turn's own, for which prompts
   * are made.
   */
  readonly maxPromptTokens?: number;
  /** Messages that are new since the last call; the activity adds system prompt and history. */
  readonly messages: ModelMessage[];
  /** Steps whose messages the model is not sent again. A line replaces what they held. */
  readonly withdrawn?: number[];
  /** Milliseconds of silence after which a write session of this turn expires. Absent means the default. */
  readonly sessionInactivityMs?: number;
  /** Set when the turn has a budget: a model without a price is not called. */
  readonly isBudgeted?: true;
  readonly options: StreamOptions;
}

/** The outcome of a model call; only the events hold the text of its answer. */
export type CallModelOutcome =
  | {
      readonly kind: 'ended';
      readonly end: ModelEnd;
      /** All calls of the answer, merged. Empty when it had none. */
      readonly calls: ToolCall[];
      /** Declarations of the tools that were called, by the name the model used; unknown names are absent. */
      readonly declarations: Record<string, ToolDeclaration>;
      readonly usage: TokenUsage;
      /**
       * Results of the turn that its prompt was sent without. Absent if it held all, or if the result is of an earlier
       * release.
       */
      readonly leftOut?: readonly ResultPlace[];
    }
  /** The provider refused or failed for good: the turn ends with this error. */
  | {
      readonly kind: 'failed';
      readonly code: TurnErrorCode;
      readonly message: string;
      /**
       * The counted tokens of the prompt, which tell whether another model could take it; absent in results of earlier
       * releases.
       */
      readonly promptTokens?: number;
    };

/** Result of the activity `callModel`: the outcome, and events that no signal has carried. */
export interface CallModelResult {
  readonly outcome: CallModelOutcome;
  /** Events that were not sent by signal yet (≤ 512 KiB), so that no last signal can be lost. */
  readonly tail: EventBatch[];
}

/** The session that a call begins: the workflow has drawn its id, so that a repeated call is the same begin. */
export interface SessionToBegin {
  readonly sessionId: string;
  /** Milliseconds of silence after which it expires. Absent means the default. */
  readonly inactivityMs?: number;
  /** A session that this turn has left open, and that the new one replaces. */
  readonly replaces?: string;
  /** Set when a person is asked before its commit, which only the turn can then make. */
  readonly needsApproval?: true;
}

/** Input of `executeTool`: one call at its place in the turn. */
export interface ExecuteToolInput extends TurnActivityInput {
  readonly mode: TurnMode;
  readonly call: ToolCall;
  /** Key in the ledger together with turnId: providers reuse call ids. */
  readonly phaseIndex: number;
  readonly position: number;
  /** Milliseconds to wait first: unchanged polls are spaced. */
  readonly delayMs: number;
  /** The session that the call begins. */
  readonly writeSession?: SessionToBegin;
  /** End of the turn's time, in milliseconds since 1970; present for a call that may take long. */
  readonly deadline?: number;
  /** The approval by which the call may run. */
  readonly approval?: ToolApproval;
  /** The answer that somebody gave the call. */
  readonly answer?: GivenAnswer;
}

/** The terminal event without the text: `closeTurn` joins it from the stored segments. */
export interface CloseTurnInput extends TurnActivityInput {
  /** The workflow's own events, which are in no segment yet. */
  readonly ownEvents: EventBatch[];
  readonly terminalId: string;
  readonly terminalAfter: string | null;
  readonly terminal:
    | {
        readonly type: 'done';
        readonly status: 'completed' | 'cancelled';
        readonly reason: DoneReason;
        readonly usage: TokenUsage;
      }
    | { readonly type: 'error'; readonly code: TurnErrorCode; readonly message: string };
  readonly usage: TokenUsage;
  readonly phase: number;
  readonly cycle: number;
  readonly waste: TurnWaste;
  /** Characters of the answer that were files, and the lines that replace them in later prompts. */
  readonly writeSessions?: ReplacedText[];
  /** Messages that were accepted, but that the model has not read. Those it read are in the turn's events. */
  readonly unapplied?: readonly AcceptedSteer[];
}

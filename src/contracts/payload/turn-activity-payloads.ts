import type { ModelStopReason, StreamOptions } from '../model/stream-options.ts';
import type { ModelMessage, TokenUsage } from '../model/model-message.ts';
import type { ToolApproval, ToolCall, ToolDeclaration, TurnMode } from '../tools/tool-call.ts';
import type { TurnWaste } from '../turn/turn-facts.ts';
import type { EventBatch } from '../wire/event-batch.ts';
import type { DoneReason, TurnErrorCode } from '../wire/turn-event.ts';
import type { ResultPlace } from '../model/left-out.ts';
import type { ReplacedText } from '../write-session/write-session.ts';
import type { CallAnswerReference } from '../inputs/reply.ts';
import type { StoredResolution } from '../inputs/input-request.ts';
import type { AcceptedSteer } from '../inputs/steering.ts';
import type { CarriedTraces } from '../turn/carried-trace.ts';

/** `ApplicationFailure.type` of activities whose run may no longer act (docs/events.md). */
export const TURN_SUPERSEDED = 'turn_superseded';

/**
 * What the inputs of all activities of a turn have in common: the turn, and the run of its workflow that may act
 * (docs/turns.md).
 */
export interface TurnActivityInput {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  /** Id of the first run of the workflow. An activity of any other run, which only a reset makes, must not act. */
  readonly firstExecutionRunId: string;
  /** Base URL of the gateway that reads the live lane. Absent when the lane is off. */
  readonly liveLane?: string;
  /** Events of the workflow that have not been on the live lane yet. The activity publishes them first. */
  readonly prelude: EventBatch[];
  /**
   * Resolutions of input requests that may not be stored yet. The activities `callModel`, `executeTool`,
   * `keepWriteSession` and `closeTurn` write them into the rows of the requests.
   */
  readonly resolutions?: StoredResolution[];
  /** Traces for the activity to store. Absent in workflows that began before there were traces. */
  readonly traces?: CarriedTraces;
  /** Set when a webhook is notified of input requests and of the turn's end. */
  readonly notifies?: true;
  /** The turn tools, under the name that stored histories have. Absent if there are none. */
  readonly ownTools?: TurnToolFlags;
}

/** Which turn tools there are: those that one turn has in addition to the tools of all turns. */
export interface TurnToolFlags {
  /** True when the model may ask the user. */
  readonly question?: boolean;
  /** True when the turn's client has declared tools. Their declarations are in the turn's row. */
  readonly client?: boolean;
}

/** Input of `callModel`: one model call of a turn. It is the same for all attempts. */
export interface CallModelInput extends TurnActivityInput {
  /** The number of this model call in the turn: 1, 2, … */
  readonly step: number;
  /** The first seq of this step. The text of every attempt begins with it. */
  readonly fromSeq: number;
  /** Id of the stored event that the first event of the step follows. Null if the list is empty. */
  readonly after: string | null;
  readonly mode: TurnMode;
  readonly model: string;
  /** The model that `model` replaces in this step because it was not available. Absent if `model` is the turn's own. */
  readonly insteadOf?: string;
  /**
   * The most tokens that the prompt may have by Orion's own count. Absent when `model` is the turn's own: prompts are
   * built to fit that model.
   */
  readonly maxPromptTokens?: number;
  /** Messages that are new since the last call. The activity adds the system prompt and the messages before. */
  readonly messages: ModelMessage[];
  /** Steps whose messages are no longer part of the prompt, because a write session replaced them with one line. */
  readonly withdrawn?: number[];
  /** Milliseconds of silence after which a write session of this turn expires. Absent means the default. */
  readonly sessionInactivityMs?: number;
  /** Set when the turn has a cost budget. A model without a price is then not called. */
  readonly isBudgeted?: true;
  readonly options: StreamOptions;
}

/** The outcome of a model call. It has no text: the text of the answer is only in the events. */
export type CallModelOutcome =
  | {
      readonly kind: 'ended';
      readonly end: ModelStopReason;
      /** All calls of the answer, merged. Empty when it had none. */
      readonly calls: ToolCall[];
      /** Declarations of the tools that were called, by the name the model used; unknown names are absent. */
      readonly declarations: Record<string, ToolDeclaration>;
      readonly usage: TokenUsage;
      /**
       * Tool results of the turn that the prompt left out. Absent if the prompt contained all of them, or if an earlier
       * version made this outcome.
       */
      readonly leftOut?: readonly ResultPlace[];
    }
  /** The provider refused or failed for good. The turn ends with this error unless another model takes over. */
  | {
      readonly kind: 'failed';
      readonly code: TurnErrorCode;
      readonly message: string;
      /**
       * The tokens of the prompt by Orion's own count, which decide whether another model can take it. Absent in
       * outcomes that an earlier version made.
       */
      readonly promptTokens?: number;
    };

/** Result of the activity `callModel`: the outcome, and the last events. */
export interface CallModelResult {
  readonly outcome: CallModelOutcome;
  /**
   * Events whose signal is not acknowledged, at most `MAX_TAIL_BYTES` (src/live/durable-writer.ts). In the result they
   * cannot be lost as a last signal could.
   */
  readonly tail: EventBatch[];
}

/**
 * The write session that a call begins. The workflow chose its id, so that a second attempt of the call begins the same
 * session.
 */
export interface SessionToBegin {
  readonly sessionId: string;
  /** Milliseconds of silence after which the session expires. Absent means the default. */
  readonly inactivityMs?: number;
  /** Id of a session that this turn has left open. The new session replaces it. */
  readonly replaces?: string;
  /** Set when the commit needs an approval. Then only the turn can commit the session. */
  readonly needsApproval?: true;
}

/** Input of `executeTool`: one call at its place in the turn. */
export interface ExecuteToolInput extends TurnActivityInput {
  readonly mode: TurnMode;
  readonly call: ToolCall;
  /**
   * Index of the tool phase. Together with `turnId` and `position` it is the key of the execution in the ledger, since
   * providers reuse call ids.
   */
  readonly phaseIndex: number;
  readonly position: number;
  /**
   * Milliseconds to wait before the call runs. Calls whose results do not change, such as polls, are spaced out by
   * this.
   */
  readonly delayMs: number;
  /** Set for a call that begins a write session. */
  readonly writeSession?: SessionToBegin;
  /** End of the turn's time, in milliseconds since 1970; present for a call that may take long. */
  readonly deadline?: number;
  /** The approval by which the call may run. */
  readonly approval?: ToolApproval;
  /** The answer that somebody gave the call. */
  readonly answer?: CallAnswerReference;
}

/** Input of `closeTurn`: the terminal event without its text, which the activity joins from the stored segments. */
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
  /** The parts of the answer that were the content of files, and the lines that replace them in later prompts. */
  readonly writeSessions?: ReplacedText[];
  /**
   * Messages into the turn that were accepted, but that the model has not read. Messages that it has read are in the
   * turn's events.
   */
  readonly unapplied?: readonly AcceptedSteer[];
}

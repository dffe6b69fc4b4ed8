import type { SteerRefusal, SteerRequest } from '../../contracts/inputs/steering.ts';
import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { TurnMetadata, WaitingFor } from '../../contracts/http/turn-api.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { ProtocolName, TurnCost, TurnStatus, TurnWaste } from '../../contracts/turn/turn-facts.ts';
import type { TokenUsage } from '../../contracts/model/model-message.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { AcceptedInput } from '../../contracts/wire/input-events.ts';
import type { ReplyRefusal, ReplyRequest } from '../../contracts/inputs/reply.ts';
import type { InputRepository } from '../../db/inputs/input-repository.ts';

/** A turn as a request asks for it, with every default filled in. */
export interface NewTurn {
  /** Id of the turn, and of the request that asked for it. */
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  /** Replaces the configured budget. Absent means that the configured one counts. */
  readonly maxPhaseCycles?: number;
  /** Replaces the configured model. Absent means that the configured one is used. */
  readonly model?: string;
  /** The calls about which the request wants to be asked, beside those that are configured. */
  readonly approvals?: ApprovalSetting;
  /** The kinds of requests that its client can show, beside approvals. */
  readonly inputs?: readonly AcceptedInput[];
  /** Tools that its client runs itself. */
  readonly clientTools?: readonly ClientTool[];
  /** `client` says that the client is the first to finalize write sessions. */
  readonly writeSession?: 'client';
  /** The parent of the turn. Null means none, and absent means the newest turn of the conversation. */
  readonly parentTurnId?: string | null;
  readonly metadata: TurnMetadata;
  /** The largest cost of its key on a day, in whole millionths. Absent means no limit. */
  readonly costPerDay?: number;
  /** Hash by `requestHash`: two requests with one turnId and one hash are the same request. */
  readonly requestHash: string;
}

/** The result of a request for a turn: started, attached to, or refused and why. */
export type StartOutcome =
  /** This call has stored the turn. */
  | { readonly kind: 'started'; readonly turnId: string }
  /** The same request has begun this turn before; the turn may have ended. */
  | { readonly kind: 'attached'; readonly turnId: string }
  /** Another turn, `turnId`, runs in the conversation, or waits for a reply to the request `waitingFor`. */
  | { readonly kind: 'turn_in_progress'; readonly turnId: string; readonly waitingFor?: string }
  /** The conversation has no such turn that the new one could continue from. */
  | { readonly kind: 'unknown_parent'; readonly turnId: string }
  /** The turnId belongs to a different request. */
  | { readonly kind: 'idempotency_conflict' }
  /** `turnId` is present when the turn is stored and will start by itself. */
  | { readonly kind: 'unavailable'; readonly server: 'temporal' | 'database'; readonly turnId?: string }
  /** Too many turns run, or too many are on their way to a worker. */
  | {
      readonly kind: 'overloaded';
      readonly cause: 'running' | 'starting';
      readonly retryAfterSeconds: number;
    };

/** Stores a turn and starts its workflow. Answers within 2 s, whatever is out of reach (docs/http-api.md). */
export interface TurnStarter {
  /** `startedBy` is the name of the API key, if the request brought one. */
  start(turn: NewTurn, startedBy?: string): Promise<StartOutcome>;
}

/** The part of a turn that the routes read; a row of `turns` is one. */
export interface TurnView {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly status: TurnStatus;
  readonly reason: string | null;
  readonly protocol: ProtocolName;
  readonly mode: TurnMode;
  /** The tools that its client runs itself. Absent when there are none. */
  readonly clientTools?: readonly ClientTool[];
  readonly input: Pick<TurnInput, 'budgets'> & Partial<Pick<TurnInput, 'model' | 'writeSession' | 'inputs'>>;
  /** Phase and cycle that it ended in; both null while the turn runs. */
  readonly phase: number | null;
  readonly cycle: number | null;
  readonly usage: TokenUsage | null;
  readonly waste: TurnWaste | null;
  /** The cost of the turn. Null if a call had no price. */
  readonly cost: TurnCost | null;
  readonly content: string | null;
  /** The client that asked for the cancel: the name of an API key, or `local`. */
  readonly cancelledBy: string | null;
  /** The terminal event. Null while the turn runs. */
  readonly terminal: { readonly id: string } | null;
  /** The open request of a running turn. Null when there is none. */
  readonly waitingFor: WaitingFor | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** Turns as the routes read them: rows from Postgres, progress from the workflow. */
export interface TurnReader {
  find(turnId: string): Promise<TurnView | undefined>;
  /** Ids of the turns of an API key that run now. */
  listRunning(startedBy: string, protocol: ProtocolName): Promise<readonly string[]>;
  /** The state of a running turn. Undefined when its workflow does not answer in time. Never throws. */
  readProgress(turnId: string): Promise<LiveTurn | undefined>;
}

/** A workflow's answer about its running turn. */
export interface LiveTurn {
  readonly phase: number;
  /** Tools executed so far. */
  readonly cycle: number;
  readonly waste: TurnWaste;
  /** The model's text as far as it is durable. Null when the answer does not come in time. */
  readonly content: string | null;
}

/**
 * Asks the workflow to end the turn with what was said, and notes the client that asks. Throws when Temporal cannot be
 * reached; the turn is cancelled even if the note cannot be made.
 */
export interface TurnCanceller {
  cancel(turnId: string, by: string): Promise<void>;
}

/**
 * One reader of a turn, such as an SSE response. Must neither block nor throw: a slow one buffers for itself,
 * and one that throws is dropped.
 */
export interface TurnViewer {
  /**
   * Sends an event. All viewers get the same `event` object, so an encoder may cache its encoding. `after` is set for
   * the first event of an epoch, to the id of the event that it follows.
   */
  event(id: EventId, event: TurnEvent, after?: string | null): void;
  /** Takes output of a command while it runs: it is only for viewers of this moment, and not kept. */
  output?(output: ToolOutput): void;
  /** Ends the stream: the turn has ended, or this gateway closes. */
  end(): void;
}

/** The events of all watched turns (docs/turns.md "Turn hub"). Production: `src/gateway/hub/turn-hub.ts`. */
export interface TurnWatch {
  /**
   * Announces a turn that is just being started: its list is known to be empty, so that its first viewer costs no
   * query.
   */
  expect(turnId: string): void;
  /**
   * Sends every event of the turn after `after`, or all if it is null. Events that are known are sent before it
   * returns, then others as they happen, then the end. An id that is not known (yet) is allowed. The returned function
   * ends the subscription without `end`.
   */
  attach(turnId: string, after: EventId | null, viewer: TurnViewer): () => void;
  /**
   * Tells the writers that are connected, and those that connect later, to stop. The caller also signals the workflow.
   */
  cancel(turnId: string): void;
  /** Asks the running attempt to end only the model call `step`, after the workflow has accepted that. */
  interrupt(turnId: string, step: number): void;
  /** Notes that the workflow has taken a reply or a message, so that a turn which waited continues. */
  expectEvents(turnId: string): void;
}

/** The result of a reply; the row holds the rest. */
export type ReplyOutcome =
  | { readonly kind: 'resolved' }
  | {
      readonly kind: 'refused';
      readonly code: ReplyRefusal;
      readonly message: string;
      /** The resolution of an `input_closed` request. */
      readonly closedBy?: { readonly reply: string; readonly by: string; readonly at: string };
    };

/** Input requests of turns, and replies to them. Production: `src/gateway/turns/input-requests.ts`. */
export interface InputRequests extends Pick<InputRepository, 'find' | 'list'> {
  /** Asks the turn's workflow to decide. Throws when no worker answers within 2 s: the reply may still take effect. */
  reply(turnId: string, request: ReplyRequest): Promise<ReplyOutcome>;
}

/** The result of a message into a turn. */
export type SteerOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: SteerRefusal; readonly message: string };

/** Messages into running turns. Production: `src/gateway/turns/turn-steers.ts`. */
export interface TurnSteers {
  /**
   * Asks the turn's workflow to decide. Throws when no worker answers within 2 s: the message may still be accepted.
   */
  steer(turnId: string, request: SteerRequest): Promise<SteerOutcome>;
}

import type { Budgets } from '../../contracts/budgets.ts';
import type { Metadata } from '../../contracts/http/turns.ts';
import type { ProtocolName, TurnStatus, Waste } from '../../contracts/turn.ts';
import type { Usage } from '../../contracts/model-message.ts';
import type { Mode } from '../../contracts/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { EventId } from '../../protocol/event-log/event-id.ts';

/** A turn as a request asks for it, with every default filled in. */
export interface NewTurn {
  /** Also the id of the request that asked for it. */
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: Mode;
  readonly protocol: ProtocolName;
  /** Instead of the configured budget. */
  readonly maxPhaseCycles?: number;
  /** Instead of the configured one. */
  readonly model?: string;
  /** Who finalizes write sessions first. */
  readonly writeSession?: 'client';
  readonly metadata: Metadata;
  /** Two requests with one turnId and one hash are the same request (request-hash.ts). */
  readonly requestHash: string;
}

export type StartOutcome =
  /** This call stored the turn. */
  | { readonly kind: 'started'; readonly turnId: string }
  /** The same request has been stored before; the turn may have ended. */
  | { readonly kind: 'attached'; readonly turnId: string }
  /** Another turn, `turnId`, runs in the conversation. */
  | { readonly kind: 'turn_in_progress'; readonly turnId: string }
  /** The turnId belongs to a different request. */
  | { readonly kind: 'idempotency_conflict' }
  /** `turnId` when the turn is stored and will start by itself. */
  | { readonly kind: 'unavailable'; readonly what: 'temporal' | 'database'; readonly turnId?: string }
  | { readonly kind: 'overloaded'; readonly retryAfterSeconds: number };

/** Stores a turn and starts its workflow. Answers within 2 s, whatever is out of reach (docs/http-api.md). */
export interface TurnStarter {
  /** `startedBy`: name of the API key, if there is one. */
  start(turn: NewTurn, startedBy?: string): Promise<StartOutcome>;
}

/** What the routes read of a turn; a row of `turns` is one. */
export interface TurnView {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly status: TurnStatus;
  readonly reason: string | null;
  readonly protocol: ProtocolName;
  readonly mode: Mode;
  readonly input: { readonly budgets: Budgets };
  /** Both null while the turn runs. */
  readonly phase: number | null;
  readonly cycle: number | null;
  readonly usage: Usage | null;
  readonly waste: Waste | null;
  readonly content: string | null;
  /** Who asked for its end: the name of an API key, or `local`. */
  readonly cancelledBy: string | null;
  /** Null while the turn runs. */
  readonly terminal: { readonly id: string } | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface TurnReader {
  find(turnId: string): Promise<TurnView | undefined>;
  /** Ids of the turns of an API key that run now. */
  runningOf(startedBy: string, protocol: ProtocolName): Promise<readonly string[]>;
  /** Where a running turn stands; undefined when its workflow does not say so in time. Never throws. */
  progress(turnId: string): Promise<LiveTurn | undefined>;
}

/** What a workflow says of its running turn. */
export interface LiveTurn {
  readonly phase: number;
  /** Tools executed so far. */
  readonly cycle: number;
  readonly waste: Waste;
  /** What the model has said so far, as far as it is durable; null when that is not said in time. */
  readonly content: string | null;
}

/**
 * Asks the workflow to end the turn with what was said, and notes who asks. Throws when Temporal cannot be reached;
 * a turn is cancelled also while the note cannot be made.
 */
export interface TurnCanceller {
  cancel(turnId: string, by: string): Promise<void>;
}

/** Somebody who watches a turn. */
export interface TurnViewer {
  event(id: EventId, event: TurnEvent): void;
  /** Nothing more will come: the turn has ended, or this gateway is closing. */
  end(): void;
}

/** The events of all watched turns (docs/turns.md "Turn hub"). Production: `turn-hub.ts`. */
export interface TurnEvents {
  /** A turn was stored just now: nothing can be missing yet. */
  expect(turnId: string): void;
  /** Delivers every event after `after`, then what follows; the function returned ends that. */
  attach(turnId: string, after: EventId | null, viewer: TurnViewer): () => void;
  /** The fast way to the running model call, beside the durable one. */
  cancel(turnId: string): void;
}

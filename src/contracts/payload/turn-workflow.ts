import type { Budgets } from '../budgets.ts';
import type { Mode } from '../tool-call.ts';
import type { ProtocolName, Waste } from '../turn.ts';
import type { EventBatch } from '../wire/event-batch.ts';

/**
 * Input of `turnWorkflow` and the `start_input` column of its row: all that is needed to start the turn again
 * after any crash. Holds no system prompt, no earlier message and no secret (docs/turns.md "turnWorkflow").
 */
export interface TurnInput {
  /** Shape of the protocol core this turn was started with; port-call order may branch on it. */
  readonly revision: 1;
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: Mode;
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly toolResultRole: 'tool' | 'system';
  readonly budgets: Budgets;
  /** That of the project in this mode; absent: the default of the mode. */
  readonly temperature?: number;
  readonly liveLane?: string;
  /** Milliseconds without a heartbeat after which an activity counts as lost. */
  readonly heartbeatTimeoutMs: number;
  /** `client`: the client finalizes write sessions itself; the turn waits for it first (docs/write-sessions.md). */
  readonly writeSession?: 'client';
  /** Milliseconds of silence after which a write session of this turn expires; absent: the default. */
  readonly sessionInactivityMs?: number;
  /** The namespace has Orion's search attributes. */
  readonly searchAttributes: boolean;
}

/** Answer of the `eventsSince` query: at most 512 KiB of batches, `more` when there is a next page. */
export interface EventsPage {
  readonly batches: EventBatch[];
  readonly more: boolean;
}

/** Answer of the `turnStatus` query. */
export interface TurnProgress {
  /** Index and kind of the phase that runs, `null` before the first. */
  readonly phase: { readonly index: number; readonly kind: 'action' | 'tool' } | null;
  /** Tools executed so far. */
  readonly cycle: number;
  readonly cancelRequested: boolean;
  readonly waste: Waste;
}

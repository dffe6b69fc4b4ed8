import type { NewTurn } from './new-turn.ts';

/** The result of a request for a turn: started, attached to, or refused and why. */
export type StartOutcome =
  /** This call has stored the turn. */
  | { readonly kind: 'started'; readonly turnId: string }
  /** The same request has begun this turn before; the turn may have ended. */
  | { readonly kind: 'attached'; readonly turnId: string }
  /** Another turn, `turnId`, runs in the conversation, or waits for a reply to the request `waitingFor`. */
  | { readonly kind: 'turn_in_progress'; readonly turnId: string; readonly waitingFor?: string }
  /** The turn `turnId`, which the new one was to continue, is not a turn of the conversation. */
  | { readonly kind: 'unknown_parent'; readonly turnId: string }
  /** The turnId belongs to a different request, or to a turn whose conversation was deleted. */
  | { readonly kind: 'idempotency_conflict' }
  /** The server cannot be reached. `turnId` is present when the turn is stored and will start by itself. */
  | { readonly kind: 'unavailable'; readonly server: 'temporal' | 'database'; readonly turnId?: string }
  /**
   * Too many turns run (`running`), or too many have started and have not reached a worker yet (`starting`). Nothing
   * was stored.
   */
  | {
      readonly kind: 'overloaded';
      readonly cause: 'running' | 'starting';
      readonly retryAfterSeconds: number;
    };

/**
 * Stores a turn and starts its workflow. It is meant to answer within 2 s, also while a server cannot be reached
 * (docs/http-api.md).
 */
export interface TurnStarter {
  /** `startedBy` is the name of the API key, if the request brought one. */
  start(turn: NewTurn, startedBy?: string): Promise<StartOutcome>;
}

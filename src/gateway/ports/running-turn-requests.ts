import type { SteerRefusal, SteerRequest } from '../../contracts/inputs/steering.ts';
import type { ReplyRefusal, ReplyRequest } from '../../contracts/inputs/reply.ts';
import type { InputRepository } from '../../db/inputs/input-repository.ts';

/**
 * Asks the workflow to end the turn with what was said, and notes the client that asks. Throws when Temporal cannot be
 * reached; the turn is cancelled even if the note cannot be made.
 */
export interface TurnCanceller {
  cancel(turnId: string, by: string): Promise<void>;
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

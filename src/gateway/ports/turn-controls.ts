import type { SteerRefusal, SteerRequest } from '../../contracts/inputs/steering.ts';
import type { ReplyRefusal, ReplyRequest } from '../../contracts/inputs/reply.ts';
import type { InputSelection } from '../../db/inputs/input-repository.ts';
import type { InputRow } from '../../db/inputs/input-row.ts';

/**
 * Asks the workflow of a turn to end the turn, which keeps the text that it has produced so far. `by` is the client
 * that asks, and is noted in the row of the turn. Rejects while Temporal cannot be reached. If only the database cannot
 * be reached, the turn is cancelled without the note, unless its workflow was not started yet: then it rejects, too.
 */
export interface TurnCanceller {
  cancel(turnId: string, by: string): Promise<void>;
}

/** The result of a reply. `resolved` means that the reply counts, and the row of the request has the details. */
export type ReplyOutcome =
  | { readonly kind: 'resolved' }
  | {
      readonly kind: 'refused';
      readonly code: ReplyRefusal;
      readonly message: string;
      /** How the request was closed, if `code` is `input_closed`. Absent if its turn has ended without a resolution. */
      readonly closedBy?: { readonly reply: string; readonly by: string; readonly at: string };
    };

/** Input requests of turns, and replies to them. Production: `src/gateway/turns/input-requests.ts`. */
export interface InputRequests {
  /** Finds a request that was announced or resolved. Returns undefined for any other. */
  find(turnId: string, n: number): Promise<InputRow | undefined>;
  /** Lists the requests that were announced, in the order in which they were, without their diffs. */
  list(selection: InputSelection): Promise<{ readonly rows: readonly InputRow[]; readonly hasMore: boolean }>;
  /**
   * Replies to an input request. The turn's workflow decides whether the reply counts. Rejects when Temporal, Postgres
   * or the workers do not answer in time, about 2 s; the reply may take effect nevertheless. A content that is too long
   * for the history of the turn is stored, and counts for `owner`. Rejects with ApiError if it exceeds a storage limit.
   */
  reply(turnId: string, request: ReplyRequest, owner: string): Promise<ReplyOutcome>;
}

/** The result of sending a message into a running turn. */
export type SteerOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: SteerRefusal; readonly message: string };

/** Messages into running turns. Production: `src/gateway/turns/turn-steers.ts`. */
export interface SteerSender {
  /**
   * Sends the message to the turn's workflow, which decides whether it takes the message. Rejects when Temporal,
   * Postgres or the workers do not answer in time, about 2 s; the workflow may take the message later.
   */
  steer(turnId: string, request: SteerRequest): Promise<SteerOutcome>;
}

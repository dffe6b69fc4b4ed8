import type { CommitSubject } from '../inputs/input-request.ts';
import type { TurnMode, ToolCall } from '../tools/tool-call.ts';
import type { InputKind, ReplyName } from '../wire/input-events.ts';
import type { TurnActivityInput } from './turn-activity-payloads.ts';

/**
 * Input of `prepareInput`, which checks the call that a request is about and stores the request. Nobody is asked yet.
 */
export interface PrepareInputRequestInput extends TurnActivityInput {
  /** Number of the request in the turn. */
  readonly n: number;
  readonly kind: InputKind;
  readonly mode: TurnMode;
  /** The call that is asked about. Absent if the request is about the turn itself. */
  readonly call?: ToolCall;
  readonly options: readonly ReplyName[];
  /** The write session that a `commit` would write. */
  readonly session?: CommitSubject;
}

/**
 * Input of `announceInput`, which opens the row of a request whose event is already in the turn's list. The event
 * travels in `prelude`, to be put onto the live lane.
 */
export interface AnnounceInputRequestInput extends TurnActivityInput {
  readonly n: number;
  readonly message: string;
  readonly default: ReplyName;
  /** When the request expires, in ISO 8601. */
  readonly expiresAt: string;
  /** The write session of a `commit`. It must not expire while the turn waits. */
  readonly sessionId?: string;
}

/**
 * The result of announcing a request. `too_many` means that the turn's key has too many waiting turns, so that the
 * default counts at once. `gone` means that the request's write session has ended, so that nobody is asked.
 */
export type AnnounceInputRequestResult = 'open' | 'too_many' | 'gone';

/** Input of `checkInput`, which checks a call as a person has edited it. Nothing is stored. */
export interface CheckInputRequestInput extends Pick<
  TurnActivityInput,
  'turnId' | 'projectId' | 'firstExecutionRunId'
> {
  readonly mode: TurnMode;
  readonly call: ToolCall;
  /** The call that the person was shown, and the hash that it had then. */
  readonly asked: { readonly call: ToolCall; readonly argsHash: string };
}

/** Whether edited arguments may run. `argsHash` is the hash of the change that they would make now. */
export type CheckInputRequestResult =
  | { readonly kind: 'passes'; readonly argsHash: string }
  /** The file is no longer as it was shown, so nobody has seen the text that would be overwritten. */
  | { readonly kind: 'changed' }
  /** The call failed the checks; `error` is for the person who edited it. */
  | { readonly kind: 'failed'; readonly error: string };

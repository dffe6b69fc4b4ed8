import type { CommitSubject } from '../inputs/input-request.ts';
import type { TurnMode, ToolCall } from '../tools/tool-call.ts';
import type { InputKind, ReplyName } from '../wire/input-events.ts';
import type { TurnActivityInput } from './turn-activity-payloads.ts';

/** Input of `prepareInput`: checks what a request is about, and stores it. Nobody is asked yet. */
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

/** Input of `announceInput`: the request's event, which is its prelude, is written. */
export interface AnnounceInputRequestInput extends TurnActivityInput {
  readonly n: number;
  readonly message: string;
  readonly default: ReplyName;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Session of a `commit`, which waits with the turn. */
  readonly sessionId?: string;
}

/**
 * The result of announcing a request. `too_many` means that so many turns of this key wait that this one takes its
 * default at once. `gone` means that the request's write session has ended, and that nobody is asked.
 */
export type AnnounceInputResult = 'open' | 'too_many' | 'gone';

/** Input of `checkInput`: a call that a person wants to have run instead. Nothing is stored. */
export interface CheckInputRequestInput extends Pick<
  TurnActivityInput,
  'turnId' | 'projectId' | 'firstExecutionRunId'
> {
  readonly mode: TurnMode;
  readonly call: ToolCall;
  /** The call that was shown, and the hash that it had then. */
  readonly asked: { readonly call: ToolCall; readonly argsHash: string };
}

/** The answer whether edited arguments may run, with the hash of the change that they would make now. */
export type CheckInputResult =
  | { readonly kind: 'passes'; readonly argsHash: string }
  /** The file is no longer as it was shown, so nobody has seen the text that would be overwritten. */
  | { readonly kind: 'changed' }
  /** The call failed the checks; `error` is for the person who edited it. */
  | { readonly kind: 'failed'; readonly error: string };

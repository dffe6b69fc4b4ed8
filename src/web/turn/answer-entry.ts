import type { InputRequested, InputResolved } from '../../contracts/wire/input-events.ts';
import type { Notice, TurnEvent } from '../../contracts/wire/turn-event.ts';

/**
 * The state of a tool call. `asked` means that the model has requested it, and `waiting` that it waits for a person.
 * `unused` means that the turn continued or ended without a result of the call.
 */
export type CallState = 'asked' | 'running' | 'waiting' | 'ok' | 'failed' | 'unused';

/** A tool call with its outcome. `arguments` is JSON text, incomplete while the model still writes it. */
export interface CallEntry {
  readonly kind: 'call';
  readonly seq: number;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly state: CallState;
  readonly durationMs?: number;
  /** Size of the result in bytes. Absent until the call has ended. */
  readonly bytes?: number;
  /** The result of the call. Absent until the call has ended, and if the gateway does not stream results. */
  readonly content?: string | undefined;
}

/** A file of a write session, as far as it is written. */
export interface FileEntry {
  readonly kind: 'file';
  readonly seq: number;
  readonly file: Extract<TurnEvent, { type: 'write_session' }>;
  /**
   * The text of the model since the session was begun, with the end marker and the remark after it once they have come.
   */
  readonly text: string;
}

/** An input request, and how it was resolved once it was. */
export interface InputEntry {
  readonly kind: 'input';
  readonly seq: number;
  readonly request: InputRequested;
  readonly resolution?: InputResolved;
}

/** One item of an answer. `seq` is that of the event that began the item, and serves as its key. */
export type AnswerEntry =
  | { readonly kind: 'text'; readonly seq: number; readonly text: string }
  | { readonly kind: 'notice'; readonly seq: number; readonly notice: Notice; readonly text: string }
  | { readonly kind: 'steer'; readonly seq: number; readonly messageId: string; readonly text: string }
  | CallEntry
  | FileEntry
  | InputEntry;

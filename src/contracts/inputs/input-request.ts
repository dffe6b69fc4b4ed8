import { DAY_MS } from '../values/units.ts';
import type { ToolEffect, ToolResult } from '../tools/tool-call.ts';
import type { InputResolved, ReplyName } from '../wire/input-events.ts';
import type { ContentRef } from '../write-session/write-session.ts';

/**
 * The most time that all requests of a turn together may wait for people, in milliseconds (docs/inputs.md "Bounds").
 */
export const MAX_WAITING_MS = 7 * DAY_MS;

/** The whole subject of a request, of which events and lists show only a part. A request at a limit has no call. */
export interface InputSubject {
  readonly tool?: string;
  readonly callId?: string;
  /** The arguments as JSON text. */
  readonly arguments?: string;
  readonly effect?: ToolEffect;
  /** The file that would change. */
  readonly target?: string;
  readonly options: readonly ReplyName[];
  /**
   * The write session whose commit waits for the reply. `before` is the SHA-256 of its target as it was shown, or null
   * if there was no file.
   */
  readonly commit?: { readonly sessionId: string; readonly before: string | null };
}

/** The write session that a `commit` is about, and its content, which is in the content store. */
export interface CommitSubject {
  readonly sessionId: string;
  readonly content: ContentRef;
}

/** The part of a call that a request shows: `arguments` (JSON text) and `diff` are cut to 8 KiB together. */
export interface RequestDisplay {
  readonly argsHash?: string;
  readonly arguments?: string;
  readonly target?: string;
  readonly diff?: string;
  readonly truncated?: boolean;
}

/**
 * The result of preparing a request. `failed` means that the call failed the worker's checks, with this result, and
 * that nobody is asked.
 */
export type PrepareInputRequestResult =
  | {
      readonly kind: 'ready';
      readonly shown: RequestDisplay;
      /** The first lines of what would change or run, without secrets. Temporal's tools show them to people. */
      readonly excerpt?: string;
      /** SHA-256 of the target of a `commit` as it was shown. Null if there is none. */
      readonly before?: string | null;
    }
  | { readonly kind: 'failed'; readonly result: ToolResult };

/** The text for a call or commit whose file has changed since somebody approved the change. */
export const CHANGED_AFTER_APPROVAL = 'The file changed after it was approved.';

/**
 * The resolution of a request, as its row stores it. `replyHash` is the hash by which a repeat of the same reply is
 * recognised. It is absent if nobody replied.
 */
export interface StoredResolution extends Omit<InputResolved, 'type'> {
  readonly replyHash?: string;
}

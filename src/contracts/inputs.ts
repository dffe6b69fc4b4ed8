import { z } from 'zod';
import { atMostBytes } from './at-most-bytes.ts';
import { jsonValueSchema } from './json-value.ts';
import type { ToolEffect, ToolResult } from './tool-call.ts';
import {
  argsHashSchema,
  inputActorSchema,
  inputKindSchema,
  type InputResolved,
  type ReplyName,
  replyNameSchema,
} from './wire/input-events.ts';
import type { ContentRef } from './write-session.ts';

/** Requests that a turn makes only of a client that says that it shows them: `metadata.inputs`. */
export const acceptedInputSchema = inputKindSchema.extract(['question', 'limit']);
export type AcceptedInput = z.infer<typeof acceptedInputSchema>;
/** Kinds of requests that a turn makes only where its client or its settings allow for them. */
export type OptionalInput = AcceptedInput | 'client_tool' | 'commit';

/** The time that a turn may wait for people in all, in milliseconds (docs/inputs.md "Bounds"). */
export const MAX_WAITING_MS = 7 * 24 * 60 * 60_000;

const KIB = 1_024;
const MAX_ARGUMENT_BYTES = 64 * KIB;
const MAX_NOTE_BYTES = 4 * KIB;
const MAX_CONTENT_BYTES = 256 * KIB;
/** Bytes of an answer that go into the history of a workflow; a longer one is kept beside it. */
export const CARRIED_CONTENT_BYTES = 32 * KIB;

const contentSchema = (most: number) => z.string().superRefine(atMostBytes(most));
const judgeArguments = atMostBytes(MAX_ARGUMENT_BYTES, 'bytes of JSON');

/** A person's reply to an input request. */
export const replyBodySchema = z.object({
  reply: replyNameSchema,
  argsHash: argsHashSchema
    .optional()
    .describe('That of the request: `allow`, `allow_turn` and `edit` say with it what they approve.'),
  arguments: z
    .record(z.string(), jsonValueSchema)
    .superRefine((value, context) => judgeArguments(JSON.stringify(value), context))
    .optional()
    .describe('What `edit` has run instead.'),
  note: z
    .string()
    .superRefine(atMostBytes(MAX_NOTE_BYTES))
    .optional()
    .describe('For the model, with `deny`.'),
  content: contentSchema(MAX_CONTENT_BYTES)
    .optional()
    .describe('What `answer` says, or the result or error of `result`.'),
  ok: z.boolean().optional().describe('With `result`: whether the call worked.'),
});
export type ReplyBody = z.infer<typeof replyBodySchema>;

/** Input of the update and of the signal `reply`. Without `by` it came by Temporal's own tools. */
export const replyRequestSchema = replyBodySchema.extend({
  /** `<turnId>/<n>`. */
  inputId: z.string(),
  by: inputActorSchema.optional(),
  content: contentSchema(CARRIED_CONTENT_BYTES).optional(),
  /** Instead of a `content` that is kept beside the history. */
  contentSha256: argsHashSchema.optional(),
});
export type ReplyRequest = z.infer<typeof replyRequestSchema>;

/** An answer that somebody gave to a call instead of running it. One of the two texts is there. */
export interface GivenAnswer {
  /** The call of a client's tool has failed, of which the text tells, where this is false. */
  readonly ok: boolean;
  readonly content?: string;
  /** Hash of a content that is kept beside the history. */
  readonly contentSha256?: string;
}

/** Why a reply does not count, as `ApplicationFailure.type` of the update. */
export const replyRefusalSchema = z.enum([
  'input_not_found',
  'input_closed',
  'input_changed',
  'validation_failed',
]);
export type ReplyRefusal = z.infer<typeof replyRefusalSchema>;

/** The whole subject of a request; events and lists show a part of it. A request at a limit is about no call. */
export interface AskedInput {
  readonly tool?: string;
  readonly callId?: string;
  /** JSON text. */
  readonly arguments?: string;
  readonly effect?: ToolEffect;
  /** The file that would change. */
  readonly target?: string;
  readonly options: readonly ReplyName[];
  /** The write session that waits for it, and SHA-256 of its target as it is shown, null: there is none. */
  readonly commit?: { readonly sessionId: string; readonly before: string | null };
}

/** The write session that a `commit` is about, and the content that its store holds. */
export interface CommitSubject {
  readonly sessionId: string;
  readonly content: ContentRef;
}

/** The part of a call that a request shows: `arguments` (JSON text) and `diff` are cut to 8 KiB together. */
export interface ShownCall {
  readonly argsHash?: string;
  readonly arguments?: string;
  readonly target?: string;
  readonly diff?: string;
  readonly truncated?: boolean;
}

/** `failed`: the call does not pass the checks of the worker, and this is its result; nobody need be asked. */
export type InputPreparation =
  | {
      readonly kind: 'ready';
      readonly shown: ShownCall;
      /** The first lines of what would change or run, without secrets: for those who may read Temporal. */
      readonly excerpt?: string;
      /** SHA-256 of the target of a `commit` as it was shown; null: there is none. */
      readonly before?: string | null;
    }
  | { readonly kind: 'failed'; readonly result: ToolResult };

/** The text for a call or commit whose file has changed since somebody approved the change. */
export const CHANGED_AFTER_APPROVAL = 'The file changed after it was approved.';

/**
 * A request that was resolved, for its row. `replyHash`: of the reply, to know it again; absent where nobody replied.
 */
export interface StoredResolution extends Omit<InputResolved, 'type'> {
  readonly replyHash?: string;
}

/** The reply that lets a call run; its execution names it. */
export interface ToolApproval {
  readonly inputId: string;
  /** True when the approval is good for one execution alone; false: for all calls of its tool in this turn. */
  readonly once: boolean;
  /**
   * Hash of the arguments that were shown: nothing else runs. Absent for a later call of a tool that was allowed for
   * the turn.
   */
  readonly argsHash?: string;
}

/** `<turn id>/<n>`: the n-th request of a turn. */
export const inputIdOf = (turnId: string, n: number): string => `${turnId}/${n}`;

/** Number of a request in its turn; undefined for any other text. */
export const inputNumberOf = (inputId: string): number | undefined => {
  const match = /\/([1-9]\d{0,5})$/.exec(inputId);
  return match ? Number(match[1]) : undefined;
};

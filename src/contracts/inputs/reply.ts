import { z } from 'zod';
import { atMostBytes } from '../values/at-most-bytes.ts';
import { jsonValueSchema } from '../values/json-value.ts';
import { argsHashSchema, inputActorSchema, replyNameSchema } from '../wire/input-events.ts';
import { KIB } from '../values/units.ts';

/** Largest arguments of a call, in bytes of JSON, about which a person is asked, or which a person gives instead. */
export const MAX_ARGUMENT_BYTES = 64 * KIB;
const MAX_NOTE_BYTES = 4 * KIB;
const MAX_REPLY_CONTENT_BYTES = 256 * KIB;
/**
 * The most bytes of UTF-8 that the content of a reply may have in the history of a workflow. The history has only the
 * hash of longer content, which is stored in Postgres (`reply_contents`).
 */
export const MAX_CARRIED_CONTENT_BYTES = 32 * KIB;

const contentSchema = (maxBytes: number) => z.string().superRefine(atMostBytes(maxBytes));
const judgeArguments = atMostBytes(MAX_ARGUMENT_BYTES, 'bytes of JSON');

/** A person's reply to an input request. */
export const replyBodySchema = z.object({
  reply: replyNameSchema.describe('The reply, one of the `options` of the request.'),
  argsHash: argsHashSchema
    .optional()
    .describe('The `argsHash` of the request. Required with `allow`, `allow_turn` and `edit`.'),
  arguments: z
    .record(z.string(), jsonValueSchema)
    .superRefine((value, context) => judgeArguments(JSON.stringify(value), context))
    .optional()
    .describe('The arguments to run instead, with `edit`.'),
  note: z
    .string()
    .superRefine(atMostBytes(MAX_NOTE_BYTES))
    .optional()
    .describe('A remark to the model, with `deny`.'),
  content: contentSchema(MAX_REPLY_CONTENT_BYTES)
    .optional()
    .describe('The text of an `answer`, or the output or error of a `result`.'),
  ok: z.boolean().optional().describe('With `result`, true if the call succeeded.'),
});
export type ReplyBody = z.infer<typeof replyBodySchema>;

/** Input of the update and of the signal `reply`. Without `by` the reply was sent with Temporal's own tools. */
export const replyRequestSchema = replyBodySchema.extend({
  /** The id `<turnId>/<n>`. */
  inputId: z.string(),
  by: inputActorSchema.optional(),
  content: contentSchema(MAX_CARRIED_CONTENT_BYTES).optional(),
  /** The hash of content that is too long for the history. It takes the place of `content`. */
  contentSha256: argsHashSchema.optional(),
});
export type ReplyRequest = z.infer<typeof replyRequestSchema>;

/**
 * The answer that a person or client gave to a call, which is its result: no tool runs. Exactly one of `content` and
 * `contentSha256` is present.
 */
export interface CallAnswerReference {
  /** False when the call of a client's tool has failed; the text then describes the failure. */
  readonly ok: boolean;
  readonly content?: string;
  /** The hash under which content that is too long for the history is stored. */
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

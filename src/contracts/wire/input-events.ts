import { z } from 'zod';

/** The kinds of input requests that a turn makes to a person or its client. */
export const inputKindSchema = z.enum(['approval', 'commit', 'client_tool', 'question', 'limit']);
export type InputKind = z.infer<typeof inputKindSchema>;

/** Requests that a turn makes only of a client that declares that it shows them: `metadata.inputs`. */
export const acceptedInputSchema = inputKindSchema.extract(['question', 'limit']);
export type AcceptedInput = z.infer<typeof acceptedInputSchema>;
/** Kinds of requests that a turn makes only where its client or its settings allow for them. */
export type OptionalInput = AcceptedInput | 'client_tool' | 'commit';

/** The replies that resolve an input request; each kind offers some of them. */
export const replyNameSchema = z.enum([
  'allow',
  'allow_turn',
  'edit',
  'deny',
  'result',
  'answer',
  'keep_going',
  'answer_now',
]);
export type ReplyName = z.infer<typeof replyNameSchema>;

/**
 * The author of a reply or of a message into the turn. `key` names an API key, `local` is a gateway without keys, and
 * `temporal` a person with Temporal's own tools. The others are the turn itself.
 */
export const inputActorSchema = z.object({
  kind: z.enum(['key', 'local', 'temporal', 'expiry', 'steer', 'limit']),
  name: z.string().optional(),
});
export type InputActor = z.infer<typeof inputActorSchema>;

/** Hash of what a reply approves: tool, arguments, and the target as it was shown. */
export const argsHashSchema = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits');

/**
 * The turn waits. `arguments` is JSON text, as in `tool_calls`; with `diff` it has at most 8 KiB, and the route gives
 * the rest.
 */
export const inputRequestedSchema = z.object({
  type: z.literal('input_requested'),
  /** The id `<turnId>/<n>` with n = 1, 2, …; one request is open at a time. */
  inputId: z.string(),
  kind: inputKindSchema,
  message: z.string(),
  tool: z.string().optional(),
  callId: z.string().optional(),
  arguments: z.string().optional(),
  argsHash: argsHashSchema.optional(),
  effect: z.enum(['read', 'write', 'poll']).optional(),
  /** The file that would change. */
  target: z.string().optional(),
  /** Unified diff of the target. */
  diff: z.string().optional(),
  /** True when `arguments` or `diff` are cut here. */
  truncated: z.boolean().optional(),
  options: z.array(replyNameSchema),
  /** The reply that counts when no reply comes in time. */
  default: replyNameSchema,
  /** ISO 8601. */
  expiresAt: z.string(),
});
export type InputRequested = z.infer<typeof inputRequestedSchema>;

/** Event: an input request is resolved, by a reply or its expiry, and the turn continues. */
export const inputResolvedSchema = z.object({
  type: z.literal('input_resolved'),
  inputId: z.string(),
  reply: replyNameSchema,
  by: inputActorSchema,
  /** ISO 8601. */
  at: z.string(),
  note: z.string().optional(),
  /** JSON text of the arguments that run instead, after `edit`. */
  arguments: z.string().optional(),
  argsHash: argsHashSchema.optional(),
});
export type InputResolved = z.infer<typeof inputResolvedSchema>;

/** A user's message into the running turn. */
export const steerSchema = z.object({
  type: z.literal('steer'),
  messageId: z.string(),
  content: z.string(),
  by: inputActorSchema,
  /** ISO 8601. */
  at: z.string(),
  /** True when the message ended a model call, or kept a tool call from running. */
  interrupted: z.boolean(),
});

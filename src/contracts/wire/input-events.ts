import { z } from 'zod';

/** The kinds of input requests that a turn makes to a person or its client. */
export const inputKindSchema = z
  .enum(['approval', 'commit', 'client_tool', 'question', 'limit'])
  .describe(
    'What the turn waits for: approval of a call or of a finished file, the result of a tool of the client, an answer, or a decision at a limit.',
  );
export type InputKind = z.infer<typeof inputKindSchema>;

/** The kinds of requests that a turn makes only if its client declares, in `metadata.inputs`, that it shows them. */
export const acceptedInputKindSchema = inputKindSchema.extract(['question', 'limit']);
export type AcceptedInputKind = z.infer<typeof acceptedInputKindSchema>;
/** The kinds of requests that a turn makes only if its client or its settings allow them. */
export type OptionalInputKind = AcceptedInputKind | 'client_tool' | 'commit';

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
 * The author of a reply or of a message into the turn. `key` means an API key, `local` a client of a gateway without
 * keys, and `temporal` a person with Temporal's own tools. All other kinds mean the turn itself.
 */
export const inputActorSchema = z.object({
  kind: z
    .enum(['key', 'local', 'temporal', 'expiry', 'steer', 'limit'])
    .describe(
      '`key`: an API key. `local`: a client of a gateway without keys. `temporal`: a person with the tools of Temporal. The others: the turn itself.',
    ),
  name: z.string().optional().describe('Name of the API key.'),
});
export type InputActor = z.infer<typeof inputActorSchema>;

/** The hash of an approval: SHA-256 in lower-case hexadecimal. */
export const argsHashSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')
  .describe('Hash of what a reply approves: the tool, its arguments, and the target as it was shown.');

/**
 * Event: the turn waits for a reply. `arguments` is JSON text, as in `tool_calls`. Together with `diff` it has at most
 * 8 KiB here, and the route of the request returns all of it.
 */
export const inputRequestedSchema = z.object({
  type: z.literal('input_requested'),
  inputId: z
    .string()
    .describe('Id of the request: `<turnId>/<n>` with n = 1, 2, … A turn has at most one open request.'),
  kind: inputKindSchema,
  message: z.string().describe('What the turn asks, as text for people.'),
  tool: z.string().optional().describe('Name of the tool that the request is about.'),
  callId: z.string().optional().describe('Id of the tool call that the request is about.'),
  arguments: z.string().optional().describe('The arguments of the call as JSON text.'),
  argsHash: argsHashSchema.optional(),
  effect: z.enum(['read', 'write', 'poll']).optional().describe('What the call would do to the world.'),
  target: z.string().optional().describe('Path of the file that would change.'),
  diff: z.string().optional().describe('Unified diff of the change.'),
  truncated: z
    .boolean()
    .optional()
    .describe(
      'True if `arguments` or `diff` are shortened here. The route of the request returns all of them.',
    ),
  options: z.array(replyNameSchema).describe('The replies that the request accepts.'),
  default: replyNameSchema.describe('The reply that counts if nobody replies in time.'),
  expiresAt: z.string().describe('When the request expires, in ISO 8601.'),
});
export type InputRequested = z.infer<typeof inputRequestedSchema>;

/** Event: an input request was resolved, by a reply or by its default, and the turn continues. */
export const inputResolvedSchema = z.object({
  type: z.literal('input_resolved'),
  inputId: z.string(),
  reply: replyNameSchema.describe('The reply that counts.'),
  by: inputActorSchema.describe('Who replied.'),
  at: z.string().describe('When the request was resolved, in ISO 8601.'),
  note: z.string().optional().describe('A remark to the model, with `deny`.'),
  arguments: z
    .string()
    .optional()
    .describe('The arguments that run instead, as JSON text. Present only after `edit`.'),
  argsHash: argsHashSchema.optional(),
});
export type InputResolved = z.infer<typeof inputResolvedSchema>;

/** Event: the model reads a message that its user has sent into the running turn. */
export const steerSchema = z.object({
  type: z.literal('steer'),
  messageId: z.string(),
  content: z.string().describe('Text of the message.'),
  by: inputActorSchema.describe('Who sent the message.'),
  at: z.string().describe('When the message was accepted, in ISO 8601.'),
  interrupted: z
    .boolean()
    .describe('True if the message ended a model call, or kept a tool call from running.'),
});

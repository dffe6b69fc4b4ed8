import { z } from 'zod';
import { atMostBytes } from '../values/at-most-bytes.ts';
import { idSchema } from '../values/ids.ts';
import { type InputActor, inputActorSchema } from '../wire/input-events.ts';
import { KIB } from '../values/units.ts';

/** The most bytes of UTF-8 that one message into a running turn may have (docs/inputs.md "Bounds"). */
export const MAX_STEER_BYTES = 64 * KIB;
/** The most bytes of UTF-8 that all steering messages of one turn may have together. */
export const MAX_STEER_BYTES_OF_TURN = 128 * KIB;
/** The largest number of messages that one turn takes while it runs. */
export const MAX_STEERS_OF_TURN = 50;

const steerWhenSchema = z.enum(['boundary', 'now']);

/** A user's message into a running turn. */
export const steerBodySchema = z.object({
  content: z
    .string()
    .refine((content) => content.trim() !== '', 'expected text that is not blank')
    .superRefine(atMostBytes(MAX_STEER_BYTES))
    .describe('Text of the message.'),
  when: steerWhenSchema
    .default('boundary')
    .describe(
      '`now` also ends the running model call, so that the message is read at once. Otherwise the message waits for the next model call.',
    ),
});

/** Input of the update and of the signal `steer`. Without `by` the message was sent with Temporal's own tools. */
export const steerRequestSchema = steerBodySchema.extend({
  /** Idempotency key within the turn. */
  messageId: idSchema,
  by: inputActorSchema.optional(),
});
export type SteerRequest = z.infer<typeof steerRequestSchema>;

/** Result of the update `steer`: the message is accepted. */
export interface SteerReceipt {
  readonly messageId: string;
  /** Number of the model call that this message ends. Null if it ends none. */
  readonly interrupts: number | null;
}

/** Why a message is not accepted, as `ApplicationFailure.type` of the update. */
export const steerRefusalSchema = z.enum([
  'turn_ended',
  'idempotency_conflict',
  'too_many_messages',
  'validation_failed',
]);
export type SteerRefusal = z.infer<typeof steerRefusalSchema>;

/** A user's message into a running turn that its workflow has accepted. */
export interface AcceptedSteer {
  readonly messageId: string;
  readonly content: string;
  readonly when: SteerRequest['when'];
  readonly by: InputActor;
  /** When the workflow accepted the message, in ISO 8601. */
  readonly at: string;
}

/** `metadata.steer` of a stored user message that was sent into a running turn. */
export const storedSteerSchema = z.object({
  messageId: z.string(),
  /** Place of the message in the answer of its turn: the number of characters (UTF-16 units) before it. */
  position: z.number().int().nonnegative(),
  /** True when the model has read the message. False when the turn ended before. */
  applied: z.boolean(),
});

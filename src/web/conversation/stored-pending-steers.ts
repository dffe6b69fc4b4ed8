/* Messages into turns that no turn has confirmed. A tab keeps them through a reload, like drafts. */
import { z } from 'zod';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { writeStored, readStored, type TabStorage } from '../tab-storage/tab-storage.ts';
import { type Failure, storedFailureSchema } from '../http/request-failure.ts';
import type { SteerMessage } from '../http/turn-requests.ts';

/**
 * A message into a turn that the turn has not confirmed. `failure` is the reason why the gateway did not accept it. It
 * is absent until the gateway has answered, and if it has accepted the message.
 */
export interface PendingSteer {
  readonly message: SteerMessage;
  readonly failure?: Failure;
}

const storedSchema = z.array(
  z.object({
    message: z.object({
      turnId: z.string(),
      messageId: z.string(),
      content: z.string(),
      when: z.enum(['boundary', 'now']),
    }),
    failure: storedFailureSchema.optional(),
  }),
);

/** Reads the stored steers of a conversation, oldest first. Returns none if the stored value is not valid. */
export const readPendingSteers = (
  conversation: ConversationKey,
  storage: TabStorage,
): readonly PendingSteer[] =>
  (readStored(storedSchema, pendingSteersNameOf(conversation), storage) ?? []).map(
    ({ message, failure }) => ({
      message,
      ...(failure && { failure }),
    }),
  );

/** Stores the steers of a conversation in place of those stored before. */
export const storePendingSteers = (
  conversation: ConversationKey,
  pending: readonly PendingSteer[],
  storage: TabStorage,
): void =>
  writeStored(pendingSteersNameOf(conversation), pending.length === 0 ? undefined : pending, storage);

const pendingSteersNameOf = ({ projectId, conversationId }: ConversationKey): string =>
  `steers ${projectId} ${conversationId}`;

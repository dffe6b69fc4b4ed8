/** Messages into turns that no turn has said to have stay through a reload, only in this tab, as drafts do. */
import { z } from 'zod';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { keptFailureSchema } from '../kept/kept-failure.ts';
import { keep, readKept, type TabStorage } from '../kept/tab-storage.ts';
import type { Failure } from '../server/gateway-request.ts';
import type { PageSteer } from '../server/requests.ts';

/** A message into a turn that the turn has not said to have. `failure`: the gateway did not take it. */
export interface PendingSteer {
  readonly message: PageSteer;
  readonly failure?: Failure;
}

const keptSchema = z.array(
  z.object({
    message: z.object({
      turnId: z.string(),
      messageId: z.string(),
      content: z.string(),
      when: z.enum(['boundary', 'now']),
    }),
    failure: keptFailureSchema.optional(),
  }),
);

const nameOf = ({ projectId, conversationId }: ConversationKey): string =>
  `steers ${projectId} ${conversationId}`;

/** The messages into turns of a conversation that were kept, oldest first. */
export const keptSteers = (place: ConversationKey, storage: TabStorage): readonly PendingSteer[] =>
  (readKept(keptSchema, nameOf(place), storage) ?? []).map(({ message, failure }) => ({
    message,
    ...(failure && { failure }),
  }));

/** Keeps these messages into turns of a conversation instead of those before. */
export const keepSteers = (
  place: ConversationKey,
  pending: readonly PendingSteer[],
  storage: TabStorage,
): void => keep(nameOf(place), pending.length === 0 ? undefined : pending, storage);

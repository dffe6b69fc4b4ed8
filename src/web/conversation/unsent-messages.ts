/* Messages that the gateway has not accepted. A tab keeps them through a reload, like drafts. */
import { z } from 'zod';
import { modeSchema } from '../../contracts/tools/tool-call.ts';
import { protocolNameSchema } from '../../contracts/turn/turn-facts.ts';
import { storedFailureSchema } from '../http/request-failure.ts';
import { writeStored, readStored, type TabStorage } from '../tab-storage/tab-storage.ts';
import type { PageRoute } from '../route/address.ts';
import type { UnsentMessage } from './history.ts';

/** Accepts the stored messages. An earlier version of the page may have stored them. */
const storedSchema = z.array(
  z.object({
    message: z.object({
      turnId: z.string(),
      parentTurnId: z.string().nullish(),
      content: z.string(),
      mode: modeSchema,
      protocol: protocolNameSchema,
      model: z.string().optional(),
    }),
    isBeside: z.boolean(),
    failure: storedFailureSchema.optional(),
  }),
);

/** Reads the unsent messages of a conversation, oldest first. Returns none if the stored value is not valid. */
export const readUnsentMessages = (route: PageRoute, storage: TabStorage): readonly UnsentMessage[] => {
  const { projectId, conversationId } = route;
  const stored = readStored(storedSchema, unsentNameOf(route), storage) ?? [];
  return stored.map(({ message: { model, ...message }, isBeside, failure }) => ({
    message: { ...message, projectId, conversationId, model },
    isBeside,
    ...(failure && { failure }),
  }));
};

/** Stores the unsent messages of a conversation in place of those stored before, as far as the browser has room. */
export const storeUnsentMessages = (
  route: PageRoute,
  unsent: readonly UnsentMessage[],
  storage: TabStorage,
): void => writeStored(unsentNameOf(route), unsent.length === 0 ? undefined : unsent, storage);

const unsentNameOf = ({ projectId, conversationId }: PageRoute): string =>
  `unsent ${projectId} ${conversationId}`;

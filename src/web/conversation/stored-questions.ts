/* Questions that the gateway has not accepted. A tab keeps them through a reload, like drafts. */
import { z } from 'zod';
import { modeSchema } from '../../contracts/tools/tool-call.ts';
import { protocolNameSchema } from '../../contracts/turn/turn-facts.ts';
import { storedFailureSchema } from '../tab-storage/stored-failure.ts';
import { writeStored, readStored, type TabStorage } from '../tab-storage/tab-storage.ts';
import type { PageRoute } from '../route/address.ts';
import type { UnsentQuestion } from './history.ts';

/** Accepts the stored questions. An earlier version of the page may have stored them. */
const keptSchema = z.array(
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

const nameOf = ({ projectId, conversationId }: PageRoute): string => `unsent ${projectId} ${conversationId}`;

/** Reads the stored questions of a conversation, oldest first. Returns none if the stored value is not valid. */
export const readUnsentQuestions = (route: PageRoute, storage: TabStorage): readonly UnsentQuestion[] => {
  const { projectId, conversationId } = route;
  const kept = readStored(keptSchema, nameOf(route), storage) ?? [];
  return kept.map(({ message: { model, ...message }, isBeside, failure }) => ({
    message: { ...message, projectId, conversationId, model },
    isBeside,
    ...(failure && { failure }),
  }));
};

/** Stores the unsent questions of a conversation in place of those stored before, as far as the browser has room. */
export const storeUnsentQuestions = (
  route: PageRoute,
  unsent: readonly UnsentQuestion[],
  storage: TabStorage,
): void => writeStored(nameOf(route), unsent.length === 0 ? undefined : unsent, storage);

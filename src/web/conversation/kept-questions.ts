/* Questions that the gateway has not taken stay through a reload, only in this tab, as drafts do. */
import { z } from 'zod';
import { modeSchema } from '../../contracts/tools/tool-call.ts';
import { protocolNameSchema } from '../../contracts/turn/turn-facts.ts';
import { keptFailureSchema } from '../kept/kept-failure.ts';
import { keep, readKept, type TabStorage } from '../kept/tab-storage.ts';
import type { Place } from '../place/address.ts';
import type { UnsentQuestion } from './history.ts';

/** The questions that were kept, perhaps by an earlier version of the page. */
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
    failure: keptFailureSchema.optional(),
  }),
);

const nameOf = ({ projectId, conversationId }: Place): string => `unsent ${projectId} ${conversationId}`;

/** Returns the kept questions of a conversation, oldest first; none where what was kept cannot be read. */
export const keptQuestions = (place: Place, storage: TabStorage): readonly UnsentQuestion[] => {
  const { projectId, conversationId } = place;
  const kept = readKept(keptSchema, nameOf(place), storage) ?? [];
  return kept.map(({ message: { model, ...message }, isBeside, failure }) => ({
    message: { ...message, projectId, conversationId, model },
    isBeside,
    ...(failure && { failure }),
  }));
};

/** Keeps these questions in a conversation instead of those before, as far as the browser has room for them. */
export const keepQuestions = (place: Place, unsent: readonly UnsentQuestion[], storage: TabStorage): void =>
  keep(nameOf(place), unsent.length === 0 ? undefined : unsent, storage);

/* Questions that the gateway has not taken stay through a reload, only in this tab, as drafts do. */
import { z } from 'zod';
import { apiErrorCodeSchema } from '../../contracts/http/errors.ts';
import { modeSchema } from '../../contracts/tools/tool-call.ts';
import { protocolNameSchema } from '../../contracts/turn/turn-facts.ts';
import type { Place } from '../place/address.ts';
import type { UnsentQuestion } from './history.ts';

/**
 * The store in which a browser keeps texts by name: `sessionStorage`, whose methods throw where it has no room or is
 * forbidden.
 */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

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
    failure: z
      .object({
        code: z.enum([...apiErrorCodeSchema.options, 'unreachable', 'unreadable']),
        message: z.string(),
      })
      .optional(),
  }),
);

const nameOf = ({ projectId, conversationId }: Place): string => `unsent ${projectId} ${conversationId}`;

/** Returns the kept questions of a conversation, oldest first; none where what was kept cannot be read. */
export const keptQuestions = (place: Place, storage: TabStorage): readonly UnsentQuestion[] => {
  const { projectId, conversationId } = place;
  try {
    const kept = keptSchema.parse(JSON.parse(storage.getItem(nameOf(place)) ?? '[]'));
    return kept.map(({ message: { model, ...message }, isBeside, failure }) => ({
      message: { ...message, projectId, conversationId, model },
      isBeside,
      ...(failure && { failure }),
    }));
  } catch {
    return [];
  }
};

/** Keeps these questions of a conversation instead of earlier ones, as far as the browser has room for them. */
export const keepQuestions = (place: Place, unsent: readonly UnsentQuestion[], storage: TabStorage): void => {
  try {
    if (unsent.length === 0) storage.removeItem(nameOf(place));
    else storage.setItem(nameOf(place), JSON.stringify(unsent));
  } catch {
    // The questions stay in sight until the page is left.
  }
};

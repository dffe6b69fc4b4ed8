/** What was typed and not sent stays through a reload, only in this tab. */
import { z } from 'zod';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { keep, readKept, type TabStorage } from './tab-storage.ts';

const nameOf = ({ projectId, conversationId }: ConversationKey): string =>
  `draft ${projectId} ${conversationId}`;

/** The text that was typed in a conversation and not sent; empty for none. */
export const keptDraft = (place: ConversationKey, storage: TabStorage): string =>
  readKept(z.string(), nameOf(place), storage) ?? '';

/** Keeps a text, or nothing where it is empty, as what was typed in a conversation and not sent. */
export const keepDraft = (place: ConversationKey, text: string, storage: TabStorage): void =>
  keep(nameOf(place), text === '' ? undefined : text, storage);

const newNameOf = (projectId: string): string => `new ${projectId}`;

/** The new conversation of a project in which something was typed last; undefined: none. */
export const draftedConversation = (projectId: string, storage: TabStorage): string | undefined =>
  readKept(z.string(), newNameOf(projectId), storage);

/** Keeps which new conversation has a draft: this one, or this one no longer. */
export const keepDrafted = (
  { projectId, conversationId }: ConversationKey,
  isDrafted: boolean,
  storage: TabStorage,
): void => {
  const isKept = draftedConversation(projectId, storage) === conversationId;
  if (isKept !== isDrafted) keep(newNameOf(projectId), isDrafted ? conversationId : undefined, storage);
};

/* Drafts of messages, which a tab keeps through a reload. */
import { z } from 'zod';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { writeStored, readStored, type TabStorage } from './tab-storage.ts';

/**
 * Reads the draft of a conversation, which is text that was typed and not sent. Returns an empty text if there is none.
 */
export const readDraft = (conversation: ConversationKey, storage: TabStorage): string =>
  readStored(z.string(), draftNameOf(conversation), storage) ?? '';

/** Stores a text as the draft of a conversation. An empty text removes the draft. */
export const storeDraft = (conversation: ConversationKey, text: string, storage: TabStorage): void =>
  writeStored(draftNameOf(conversation), text === '' ? undefined : text, storage);

/** Returns the id of the new conversation for which a project has a draft, or undefined if it has none. */
export const readDraftedConversation = (projectId: string, storage: TabStorage): string | undefined =>
  readStored(z.string(), newNameOf(projectId), storage);

const newNameOf = (projectId: string): string => `new ${projectId}`;

/** Stores whether a new conversation has a draft. Of each project only one such conversation is stored, the newest. */
export const storeDraftedConversation = (
  { projectId, conversationId }: ConversationKey,
  isDrafted: boolean,
  storage: TabStorage,
): void => {
  const isKept = readDraftedConversation(projectId, storage) === conversationId;
  if (isKept !== isDrafted) {
    writeStored(newNameOf(projectId), isDrafted ? conversationId : undefined, storage);
  }
};

const draftNameOf = ({ projectId, conversationId }: ConversationKey): string =>
  `draft ${projectId} ${conversationId}`;

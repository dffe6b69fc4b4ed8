import { useCallback, useEffect, useState } from 'react';
import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import { listConversations } from '../http/conversation-requests.ts';

/** A conversation in the list of conversations. */
export type ListedConversation = ConversationList['conversations'][number];

/** The listed conversations of a project, those with the newest messages first. */
export interface ListedConversations {
  readonly conversations: readonly ListedConversation[];
  /** Reads one more page of conversations. Undefined if there is none. */
  readonly readMore: (() => void) | undefined;
  /** Reads the list again. Called when this page has renamed or removed a conversation. */
  readonly readAgain: () => void;
  /** Rises with each call of `readAgain`, so that a search is repeated as well. */
  readonly changeCount: number;
}

const PAGE_SIZE = 50;
const NONE: ConversationList = { conversations: [], more: false };

/**
 * Returns the conversations of a project. Reads them again whenever `reloadKey` changes, and when the person comes
 * back to the page.
 */
export const useConversations = (projectId: string, reloadKey: string): ListedConversations => {
  const [{ conversations, more: hasMore }, setList] = useState(NONE);
  const [pages, setPages] = useState(1);
  const [changeCount, setChangeCount] = useState(0);
  useEffect(() => {
    // A list that comes after one that was asked for later is older than what is shown.
    let lastRead = 0;
    const readList = async (): Promise<void> => {
      lastRead += 1;
      const read = lastRead;
      const list = await readPages(projectId, pages);
      if (list && read === lastRead) setList(list);
    };
    const refresh = (): void => void readList();
    refresh();
    addEventListener('focus', refresh);
    return () => {
      lastRead += 1;
      removeEventListener('focus', refresh);
    };
  }, [projectId, reloadKey, pages, changeCount]);
  const readAgain = useCallback(() => setChangeCount((before) => before + 1), []);
  return { conversations, readMore: hasMore ? () => setPages(pages + 1) : undefined, readAgain, changeCount };
};

/** Reads the first `pages` pages of the list. Returns undefined if one of them could not be read. */
const readPages = async (projectId: string, pages: number): Promise<ConversationList | undefined> => {
  const conversations: ListedConversation[] = [];
  let hasMore = true;
  for (let page = 0; page < pages && hasMore; page += 1) {
    const result = await listConversations({ projectId, limit: PAGE_SIZE, offset: page * PAGE_SIZE });
    if (!result.ok) return undefined;
    conversations.push(...result.value.conversations);
    ({ more: hasMore } = result.value);
  }
  return { conversations, more: hasMore };
};

/** Milliseconds without typing after which the search begins. Most people press the next key sooner. */
const TYPING_MS = 200;

/**
 * Returns the newest conversations whose title contains a text, at most `PAGE_SIZE`. Returns undefined for an empty
 * text, and until the first response. After a change of the text, the result for the previous text stays until the next
 * response. A rise of `changeCount` repeats the search.
 */
export const useConversationSearch = (
  projectId: string,
  text: string,
  changeCount: number,
): readonly ListedConversation[] | undefined => {
  const search = text.trim();
  const [matches, setMatches] = useState<readonly ListedConversation[]>();
  useEffect(() => {
    let isStale = false;
    const find = async (): Promise<void> => {
      const result = await listConversations({ projectId, limit: PAGE_SIZE, search });
      if (result.ok && !isStale) setMatches(result.value.conversations);
    };
    // What was found stays while a person types on, but not once the field is empty.
    if (search === '') setMatches(undefined);
    const timer = search === '' ? undefined : setTimeout(() => void find(), TYPING_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [projectId, search, changeCount]);
  return search === '' ? undefined : matches;
};

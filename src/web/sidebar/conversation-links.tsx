import { useEffect, useState } from 'react';
import { type Navigate, MAX_SEARCH_CHARACTERS, type PageRoute } from '../route/address.ts';
import { ConversationItem } from './conversation-item.tsx';
import { type ListedConversations, useConversationSearch } from './use-conversations.ts';

interface ConversationLinksProps {
  readonly route: PageRoute;
  readonly list: ListedConversations;
  readonly onNavigate: Navigate;
}

/** Lists the conversations of the project, or those whose title contains the searched text. */
export const ConversationLinks = ({ route, list, onNavigate }: ConversationLinksProps) => {
  const [text, setText] = useSearch(route, onNavigate);
  const matches = useConversationSearch(route.projectId, text, list.changeCount);
  return (
    <>
      <input
        type="search"
        dir="auto"
        className="search"
        aria-label="Search conversations"
        placeholder="Search"
        maxLength={MAX_SEARCH_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ul aria-label="Conversations">
        {(matches ?? list.conversations).map((conversation) => (
          <ConversationItem
            key={conversation.conversationId}
            route={{ ...route, search: text }}
            {...{ conversation, onNavigate }}
            onChanged={list.readAgain}
          />
        ))}
      </ul>
      {matches?.length === 0 && (
        <p className="fact" role="status">
          No conversation with this name.
        </p>
      )}
      {matches === undefined && list.readMore && (
        <button type="button" className="quiet" onClick={list.readMore}>
          More
        </button>
      )}
    </>
  );
};

/**
 * Milliseconds without typing after which the address gets the searched text. Browsers limit how often an address may
 * change (`MIN_INTERVAL_MS` of src/web/route/address-hash.ts).
 */
const TYPING_PAUSE_MS = 400;

/** Returns the searched text and the function that sets it. The address gets the text a moment later. */
const useSearch = (route: PageRoute, onNavigate: Navigate) => {
  const [text, setText] = useState(route.search ?? '');
  useEffect(() => {
    if (text === (route.search ?? '')) return undefined;
    const timer = setTimeout(() => onNavigate({ ...route, search: text }, 'replace'), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, route, onNavigate]);
  return [text, setText] as const;
};

import { useEffect, useState } from 'react';
import { type Navigate, MAX_SEARCH, type Place } from '../place/address.ts';
import { ConversationItem } from './conversation-item.tsx';
import { type ListedConversations, useConversationSearch } from './use-conversations.ts';

interface ConversationLinksProps {
  readonly place: Place;
  readonly list: ListedConversations;
  readonly onNavigate: Navigate;
}

/** The conversations of the project, or those whose title contains the search. */
export const ConversationLinks = ({ place, list, onNavigate }: ConversationLinksProps) => {
  const [text, setText] = useSearch(place, onNavigate);
  const found = useConversationSearch(place.projectId, text, list.changes);
  return (
    <>
      <input
        type="search"
        dir="auto"
        className="search"
        aria-label="Search conversations"
        placeholder="Search"
        maxLength={MAX_SEARCH}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ul aria-label="Conversations">
        {(found ?? list.conversations).map((conversation) => (
          <ConversationItem
            key={conversation.conversationId}
            place={{ ...place, search: text }}
            {...{ conversation, onNavigate }}
            onChanged={list.readAgain}
          />
        ))}
      </ul>
      {found?.length === 0 && (
        <p className="fact" role="status">
          No conversation is called so.
        </p>
      )}
      {found === undefined && list.readMore && (
        <button type="button" className="quiet" onClick={list.readMore}>
          More
        </button>
      )}
    </>
  );
};

/** Milliseconds without typing: browsers refuse an address that changes with every letter. */
const SETTLED_MS = 400;

/** The searched text, which the address gets a moment later. */
const useSearch = (place: Place, onNavigate: Navigate) => {
  const [text, setText] = useState(place.search ?? '');
  useEffect(() => {
    if (text === (place.search ?? '')) return undefined;
    const timer = setTimeout(() => onNavigate({ ...place, search: text }, 'replace'), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text, place, onNavigate]);
  return [text, setText] as const;
};

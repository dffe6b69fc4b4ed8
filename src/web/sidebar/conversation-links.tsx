import { useEffect, useState } from 'react';
import { type GoTo, MAX_SEARCH, type Place } from '../place/address.ts';
import { ConversationItem } from './conversation-item.tsx';
import { type ListedConversations, useFoundConversations } from './use-conversations.ts';

interface ConversationLinksProps {
  readonly place: Place;
  readonly list: ListedConversations;
  readonly onGo: GoTo;
}

/** The conversations of the project, or those whose title contains the search. */
export const ConversationLinks = ({ place, list, onGo }: ConversationLinksProps) => {
  const [text, setText] = useSearch(place, onGo);
  const found = useFoundConversations(place.projectId, text, list.changes);
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
            {...{ conversation, onGo }}
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
const useSearch = (place: Place, onGo: GoTo) => {
  const [text, setText] = useState(place.search ?? '');
  useEffect(() => {
    if (text === (place.search ?? '')) return undefined;
    const timer = setTimeout(() => onGo({ ...place, search: text }, 'replace'), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text, place, onGo]);
  return [text, setText] as const;
};

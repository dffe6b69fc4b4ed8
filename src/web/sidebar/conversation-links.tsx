import { useState } from 'react';
import type { Place } from '../place/address.ts';
import { ConversationItem } from './conversation-item.tsx';
import { type ListedConversations, useFoundConversations } from './use-conversations.ts';

interface ConversationLinksProps {
  readonly place: Place;
  readonly list: ListedConversations;
  readonly onGo: (place: Place) => void;
}

/** The conversations of the project, or those in whose title stands what is searched for. */
export const ConversationLinks = ({ place, list, onGo }: ConversationLinksProps) => {
  const [text, setText] = useState('');
  const found = useFoundConversations(place.projectId, text, list.changes);
  return (
    <>
      <input
        type="search"
        dir="auto"
        className="search"
        aria-label="Search conversations"
        placeholder="Search"
        maxLength={200}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ul aria-label="Conversations">
        {(found ?? list.conversations).map((conversation) => (
          <ConversationItem
            key={conversation.conversationId}
            {...{ place, conversation, onGo }}
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

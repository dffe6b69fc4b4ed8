import { useRef, useState } from 'react';
import type { PageRoute } from '../route/address.ts';
import { newConversationRoute } from '../route/page-ids.ts';
import { RouteLink } from '../route/route-link.tsx';
import type { ListedConversation } from './use-conversations.ts';
import { ConversationOptions } from './conversation-options.tsx';

interface ConversationItemProps {
  /** The route that the page shows. */
  readonly route: PageRoute;
  readonly conversation: ListedConversation;
  readonly onNavigate: (route: PageRoute) => void;
  /** Called when the conversation was renamed or removed. */
  readonly onChanged: () => void;
}

/** One conversation of the list: a link to it, and a menu that renames or deletes it. */
export const ConversationItem = ({ route, conversation, onNavigate, onChanged }: ConversationItemProps) => {
  const { isOpen, opener, onToggle, onClose } = useOptionsOpen();
  const { conversationId, lastTurn } = conversation;
  const title = conversation.title || conversationId;
  const search = route.search ?? '';
  const conversationRoute = { projectId: route.projectId, conversationId, search };
  const isCurrent = conversationId === route.conversationId;
  const onRemoved = (): void => {
    onChanged();
    if (isCurrent) onNavigate({ ...newConversationRoute(route.projectId), search });
  };
  return (
    <li className="conversation">
      <RouteLink route={conversationRoute} isCurrent={isCurrent} onNavigate={onNavigate}>
        <span className="title" dir="auto">
          {title}
        </span>
        <StatusDot status={lastTurn?.status} />
      </RouteLink>
      <button
        ref={opener}
        type="button"
        className="quiet options"
        aria-expanded={isOpen}
        aria-label={`Options of ${title}`}
        onClick={onToggle}
      >
        ⋯
      </button>
      {isOpen && (
        <ConversationOptions
          {...{ route: conversationRoute, title, onRemoved, onClose }}
          cost={conversation.cost}
          wastedCost={conversation.wastedCost}
          onRenamed={onChanged}
        />
      )}
    </li>
  );
};

/**
 * Holds whether the options are open. `opener` is a ref for the button that opens them, and `onClose` moves the focus
 * back to that button.
 */
const useOptionsOpen = () => {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const onClose = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  return { isOpen, opener, onToggle: () => setOpen(!isOpen), onClose };
};

const STATUS_WORDS: Readonly<Record<string, string>> = {
  running: 'running',
  waiting: 'waits for you',
  failed: 'failed',
};

const StatusDot = ({ status }: { status: string | undefined }) => {
  const words = STATUS_WORDS[status ?? ''];
  if (words === undefined) return null;
  return (
    <span className={`dot ${status}`} title={words}>
      <span className="hidden">, {words}</span>
    </span>
  );
};

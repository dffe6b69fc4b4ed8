import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { costAndWasteWords } from '../wording/cost-words.ts';
import { Problem } from '../components/problem.tsx';
import type { Failure } from '../http/gateway-request.ts';
import { removeConversation, renameConversation } from '../http/conversation-requests.ts';
import type { PageRoute } from '../route/address.ts';
import { newConversationRoute } from '../route/page-ids.ts';
import { RouteLink } from '../route/route-link.tsx';
import type { ListedConversation } from './use-conversations.ts';

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
  const searched = { search: route.search ?? '' };
  const itsRoute = { projectId: route.projectId, conversationId, ...searched };
  const isCurrent = conversationId === route.conversationId;
  const onRemoved = (): void => {
    onChanged();
    if (isCurrent) onNavigate({ ...newConversationRoute(route.projectId), ...searched });
  };
  return (
    <li className="conversation">
      <RouteLink route={itsRoute} isCurrent={isCurrent} onNavigate={onNavigate}>
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
        <ItemOptions
          {...{ route: itsRoute, title, onRemoved, onClose }}
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

interface ItemOptionsProps {
  readonly route: PageRoute;
  readonly title: string;
  readonly cost: ListedConversation['cost'];
  readonly wastedCost: number;
  readonly onRenamed: () => void;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

const ItemOptions = (props: ItemOptionsProps) => {
  const [step, setStep] = useState<'choose' | 'rename' | 'delete'>('choose');
  const { failure, rename, remove } = useItemActions(props);
  const { title, cost, wastedCost, onClose } = props;
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') onClose();
  };
  return (
    <div className="row-options" onKeyDown={onKeyDown}>
      {step === 'choose' && (
        <>
          <button type="button" className="quiet" autoFocus onClick={() => setStep('rename')}>
            Rename
          </button>
          <button type="button" className="quiet" onClick={() => setStep('delete')}>
            Delete …
          </button>
          {cost !== null && <span className="fact">Cost {costAndWasteWords(cost, wastedCost)}</span>}
        </>
      )}
      {step === 'rename' && <Rename title={title} onRename={rename} />}
      {step === 'delete' && <Delete onDelete={remove} onKeep={onClose} />}
      {failure && <Problem failure={failure} />}
    </div>
  );
};

const useItemActions = ({ route, onRenamed, onRemoved, onClose }: ItemOptionsProps) => {
  const [failure, setFailure] = useState<Failure>();
  const rename = async (title: string): Promise<void> => {
    const result = await renameConversation(route, title);
    if (!result.ok) return setFailure(result.failure);
    onRenamed();
    onClose();
  };
  const remove = async (): Promise<void> => {
    const result = await removeConversation(route);
    // Another tab or person may have removed it already, which is what was wanted.
    if (!result.ok && result.failure.code !== 'not_found') return setFailure(result.failure);
    onRemoved();
    onClose();
  };
  return { failure, rename: (title: string) => void rename(title), remove: () => void remove() };
};

const Delete = ({ onDelete, onKeep }: { onDelete: () => void; onKeep: () => void }) => (
  <>
    <p>With all that was said in it?</p>
    <button type="button" className="stop" onClick={onDelete}>
      Delete
    </button>
    <button type="button" autoFocus onClick={onKeep}>
      Keep
    </button>
  </>
);

const Rename = ({ title, onRename }: { title: string; onRename: (title: string) => void }) => {
  const [text, setText] = useState(title);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') onRename(text.trim());
  };
  return (
    <form onSubmit={onSubmit}>
      <input
        type="text"
        dir="auto"
        aria-label="Title"
        autoFocus
        maxLength={200}
        value={text}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit" disabled={text.trim() === ''}>
        Save
      </button>
    </form>
  );
};

import { useCallback, useEffect, useState } from 'react';
import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import type { InfoAnswer } from '../../contracts/http/info-api.ts';
import type { SignInAnswer } from '../../contracts/http/sign-in-api.ts';
import { listConversations } from '../server/requests.ts';
import type { Place } from './address.ts';
import { type AskOptions, Composer } from './composer.tsx';
import { drawId } from './draw-id.ts';
import { ExchangeView, Problem } from './exchange-view.tsx';
import type { HistoryItem } from './history.ts';
import { Sidebar } from './sidebar.tsx';
import { useBottom } from './use-bottom.ts';
import { type ShownConversation, useConversation } from './use-conversation.ts';

interface ChatPageProps {
  readonly place: Place;
  readonly who: SignInAnswer;
  readonly info: InfoAnswer | undefined;
  readonly onGo: (place: Place, replace?: 'replace') => void;
}

const CONVERSATIONS = 50;

/** One conversation with its list of others. To be given a key of its conversation. */
export const ChatPage = ({ place, who, info, onGo }: ChatPageProps) => {
  const conversation = useConversation(place);
  const [running, setRunning] = useState<string>();
  const conversations = useConversations(place.projectId, running);
  const onStanding = useCallback((turnId: string, isRunning: boolean) => {
    setRunning((before) => (isRunning ? turnId : before === turnId ? undefined : before));
  }, []);
  const ask = (content: string, options: AskOptions): void => {
    const turnId = drawId('turn');
    onGo({ ...place, turnId }, 'replace');
    conversation.send({ ...options, ...place, turnId, content });
  };
  const title = conversations.find(({ conversationId }) => conversationId === place.conversationId)?.title;
  return (
    <>
      <Sidebar place={place} who={who} conversations={conversations} onGo={onGo} />
      <main>
        <TopBar title={title} info={info} />
        <Exchanges conversation={conversation} onStanding={onStanding} onAsk={ask} />
        <Composer models={info?.models ?? []} runningTurn={running} onSend={ask} />
      </main>
    </>
  );
};

const TopBar = ({ title, info }: { title: string | undefined; info: InfoAnswer | undefined }) => {
  const shown = title === undefined || title === '' ? 'New conversation' : title;
  useEffect(() => {
    document.title = `${shown} · Orion`;
  }, [shown]);
  return (
    <header className="top">
      <button type="button" className="quiet menu" popoverTarget="conversations">
        <span aria-hidden="true">☰</span>
        <span className="hidden">Conversations</span>
      </button>
      <h1 dir="auto">{shown}</h1>
      {info && <span className="fact">{info.model}</span>}
    </header>
  );
};

interface ExchangesProps {
  readonly conversation: ShownConversation;
  readonly onStanding: (turnId: string, isRunning: boolean) => void;
  readonly onAsk: (content: string, options: AskOptions) => void;
}

const ASKED_AGAIN: AskOptions = { mode: 'act', protocol: 'two_stage', model: undefined };

const Exchanges = ({ conversation, onStanding, onAsk }: ExchangesProps) => {
  const { items, earlierAt, failure, isRead, send, readEarlier } = conversation;
  const bottom = useBottom();
  const last = items.findLast(({ kind }) => kind === 'exchange');
  const draw = (item: HistoryItem) =>
    item.kind === 'note' ? (
      <p key={item.id} className="note">
        {item.content}
      </p>
    ) : (
      <ExchangeView
        key={item.turnId}
        exchange={item}
        isLast={item === last}
        onStanding={onStanding}
        onSendAgain={send}
        onAskAgain={(question) => onAsk(question, ASKED_AGAIN)}
      />
    );
  return (
    <div className="scroll" ref={bottom} role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
      <div className="column">
        {failure && <Problem failure={failure} again={readEarlier} />}
        {earlierAt !== null && (
          <button type="button" className="quiet" onClick={readEarlier}>
            Earlier messages
          </button>
        )}
        {isRead && items.length === 0 && <Welcome onAsk={(question) => onAsk(question, ASKED_AGAIN)} />}
        {items.map(draw)}
      </div>
    </div>
  );
};

const EXAMPLES = ['List the files, then read README.md', 'Write a 300-line file docs/a.md'];

const Welcome = ({ onAsk }: { onAsk: (question: string) => void }) => (
  <section className="welcome">
    <h2>What shall be done?</h2>
    <p>Orion reads and writes the files of its workspace, and an answer survives whatever stops meanwhile.</p>
    <ul>
      {EXAMPLES.map((example) => (
        <li key={example}>
          <button type="button" onClick={() => onAsk(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  </section>
);

/** Asked for anew whenever a turn begins or ends here, and when somebody comes back to the page. */
const useConversations = (
  projectId: string,
  running: string | undefined,
): ConversationList['conversations'] => {
  const [conversations, setConversations] = useState<ConversationList['conversations']>([]);
  useEffect(() => {
    const ask = async (): Promise<void> => {
      const answer = await listConversations(projectId, CONVERSATIONS);
      if (answer.ok) setConversations(answer.value.conversations);
    };
    const read = (): void => void ask();
    read();
    addEventListener('focus', read);
    return () => removeEventListener('focus', read);
  }, [projectId, running]);
  return conversations;
};

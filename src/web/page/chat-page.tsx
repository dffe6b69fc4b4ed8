import { useCallback, useEffect, useState } from 'react';
import type { InfoAnswer } from '../../contracts/http/info-api.ts';
import type { SignInAnswer } from '../../contracts/http/sign-in-api.ts';
import { costAndWasteWords } from '../parts/cost-words.ts';
import type { PageSteer } from '../server/requests.ts';
import type { GoTo, Place } from '../place/address.ts';
import type { AskIn, AskOptions } from '../conversation/ask-options.ts';
import { focusComposer } from '../parts/focus-composer.ts';
import { lastTurnOf } from '../conversation/branches.ts';
import { Composer } from '../conversation/composer.tsx';
import { drawId } from '../place/draw-id.ts';
import { Exchanges } from '../conversation/exchanges.tsx';
import type { UnsentQuestion } from '../conversation/history.ts';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { type ShownConversation, useConversation } from '../conversation/use-conversation.ts';
import { type ListedConversation, useConversations } from '../sidebar/use-conversations.ts';
import { useKeptOptions } from '../conversation/use-kept-options.ts';
import { useSteers } from '../conversation/use-steers.ts';
import { TurnModels, useTurnModels } from '../turn/turn-models.ts';
import { useWaiting } from '../sidebar/use-waiting.ts';

interface ChatPageProps {
  readonly place: Place;
  readonly who: SignInAnswer;
  readonly info: InfoAnswer | undefined;
  readonly onGo: GoTo;
}

/** One conversation with the list of others. Give it a key of its conversation. */
export const ChatPage = ({ place, who, info, onGo }: ChatPageProps) => {
  const conversation = useConversation(place);
  const { running, onRunning } = useRunning();
  // Kept here, not in the composer, which is mounted anew when a message comes back unapplied.
  const { options, onOptions } = useKeptOptions(place, info?.models ?? []);
  const [openInputs, onOpenInputs] = useState('');
  const turnState = `${running} ${openInputs}`;
  const list = useConversations(place.projectId, turnState);
  const here = list.conversations.find(({ conversationId }) => conversationId === place.conversationId);
  useFollowed(conversation, here?.lastTurn?.turnId);
  const top = { title: here?.title || 'New conversation', facts: factsOf(here, info, options) };
  const waiting = useWaiting();
  const models = useTurnModels(place, info, turnState);
  const actions = useTurnActions(place, conversation, onGo);
  const { given, steer, ...speaking } = useSteering(place, conversation, running);
  const shown = { addressed: place.turnId, running, onRunning, onOpenInputs, ...speaking, ...actions };
  return (
    <>
      <Sidebar {...{ place, who, list, waiting, onGo }} />
      <main tabIndex={-1}>
        <TopBar {...top} waiting={waiting.length} />
        <TurnModels value={models}>
          <Exchanges projectId={place.projectId} {...{ conversation, options }} {...shown} />
        </TurnModels>
        <Composer
          key={given.count}
          place={place}
          isNew={conversation.isRead ? conversation.items.length === 0 : undefined}
          models={info?.models ?? []}
          runningTurn={running}
          given={given.text}
          options={options}
          onOptions={onOptions}
          onSend={actions.onAsk}
          onSteer={steer}
        />
      </main>
    </>
  );
};

/** The facts about the conversation: the cost of its ended turns, and the model that is asked next. */
const factsOf = (
  here: ListedConversation | undefined,
  info: InfoAnswer | undefined,
  { model = info?.model }: AskOptions,
): readonly string[] => [
  ...(here === undefined || here.cost === null
    ? []
    : [`Cost ${costAndWasteWords(here.cost, here.wastedCost)}`]),
  ...(model === undefined ? [] : [model]),
];

/** Returns the turn that runs here, as its view reports it. */
const useRunning = () => {
  const [running, setRunning] = useState<string>();
  const onRunning = useCallback((turnId: string, isRunning: boolean) => {
    setRunning((before) => (isRunning ? turnId : before === turnId ? undefined : before));
  }, []);
  return { running, onRunning };
};

interface TurnActions {
  readonly onAsk: AskIn;
  readonly onSendAgain: (unsent: UnsentQuestion) => void;
  readonly onDiscard: (unsent: UnsentQuestion) => void;
  readonly onShow: (turnId: string) => void;
}

/** Asks in the conversation, and goes to another branch of it. */
const useTurnActions = (
  place: Place,
  conversation: ShownConversation,
  onGo: ChatPageProps['onGo'],
): TurnActions => ({
  onAsk: (content, options, beside) => {
    const turnId = drawId('turn');
    // From wherever it was asked, what had the focus may be gone with the branch that was shown.
    focusComposer();
    const parentTurnId = beside === undefined ? lastTurnOf(conversation.branch) : beside;
    const { projectId, conversationId } = place;
    onGo({ ...place, turnId }, 'replace');
    conversation.send(
      { ...options, projectId, conversationId, turnId, parentTurnId, content },
      beside !== undefined,
    );
  },
  onSendAgain: (unsent) => {
    onGo({ ...place, turnId: unsent.message.turnId }, 'replace');
    conversation.sendAgain(unsent);
  },
  onDiscard: (unsent) => {
    const { turnId: _discarded, ...around } = place;
    const turnId = lastTurnOf(conversation.branch);
    // The address must not name a question that is not there.
    onGo({ ...around, ...(turnId !== undefined && { turnId }) }, 'replace');
    conversation.discard(unsent);
  },
  onShow: (turnId) => onGo({ ...place, turnId }),
});

/** Shows a turn that was begun elsewhere, in another tab or on the terminal. */
const useFollowed = ({ items, isRead, readNewest }: ShownConversation, newest: string | undefined): void => {
  const isNew =
    isRead &&
    newest !== undefined &&
    !items.some((item) => item.kind === 'exchange' && item.turnId === newest);
  useEffect(() => {
    if (isNew) readNewest();
  }, [isNew, readNewest]);
};

/** Speaks into the running turn, and gives back to the line what nothing has taken. */
const useSteering = (place: Place, conversation: ShownConversation, running: string | undefined) => {
  const [given, setGiven] = useState({ text: '', count: 0 });
  const onTakeBack = useCallback((text: string): void => {
    setGiven(({ count }) => ({ text, count: count + 1 }));
  }, []);
  const steers = useSteers(place, ({ messageId, content, turnId }) => {
    conversation.add({ turnId: messageId, question: content }, turnId);
    // The gateway lets it go on from the newest turn, which may be another one by now: the stored messages show it.
    conversation.readNewest();
  });
  const { pending, settle } = steers;
  const onUnapplied = useCallback(
    (messageIds: readonly string[]): void => {
      const back = pending.filter(({ message }) => messageIds.includes(message.messageId));
      if (back.length === 0) return;
      onTakeBack(back.map(({ message }) => message.content).join('\n'));
      settle(messageIds);
    },
    [pending, settle, onTakeBack],
  );
  const steer = (content: string, when: PageSteer['when']): void => {
    if (running !== undefined) steers.send({ turnId: running, messageId: drawId('turn'), content, when });
  };
  return { steers, given, onTakeBack, onUnapplied, steer };
};

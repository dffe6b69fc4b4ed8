import { useCallback, useEffect, useState } from 'react';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import type { SignInResponse } from '../../contracts/http/sign-in-api.ts';
import { costAndWasteWords } from '../wording/cost-words.ts';
import type { SteerMessage } from '../http/turn-requests.ts';
import type { Navigate, PageRoute } from '../route/address.ts';
import type { MessageOptions } from '../conversation/message-options.ts';
import { focusComposer } from '../components/focus-composer.ts';
import { lastTurnOf } from '../conversation/branches.ts';
import { Composer } from '../conversation/composer.tsx';
import { createPageId } from '../route/page-ids.ts';
import { type ExchangeActions, ExchangeActionsContext } from '../conversation/exchange-actions.ts';
import { Exchanges } from '../conversation/exchanges.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { type ShownConversation, useConversation } from '../conversation/use-conversation.ts';
import { type ListedConversation, useConversations } from '../sidebar/use-conversations.ts';
import { useStoredOptions } from '../conversation/use-stored-options.ts';
import { useSteers } from '../conversation/use-steers.ts';
import { FirstModels, useFirstModels } from '../turn/first-models.ts';
import { useWaitingInputRequests } from '../sidebar/use-waiting-input-requests.ts';

interface ChatPageProps {
  readonly route: PageRoute;
  readonly user: SignInResponse;
  readonly info: InfoResponse | undefined;
  readonly onNavigate: Navigate;
}

/**
 * Shows one conversation beside the list of the conversations of its project. The component needs a key that changes
 * with the conversation.
 */
export const ChatPage = ({ route, user, info, onNavigate }: ChatPageProps) => {
  const { projectId, turnId: addressedTurn } = route;
  const conversation = useConversation(route);
  const { runningTurn, turnState, ...reports } = useRunningTurn();
  // The options are not kept by the composer, because it is mounted anew whenever a text is put back into it.
  const { options, onOptions } = useStoredOptions(route, info?.models ?? []);
  const list = useConversations(projectId, turnState);
  const listed = list.conversations.find(({ conversationId }) => conversationId === route.conversationId);
  useReadNewTurns(conversation, listed?.lastTurn?.turnId);
  const top = { title: listed?.title || 'New conversation', facts: factsOf(listed, info, options) };
  const waiting = useWaitingInputRequests();
  const firstModels = useFirstModels(route, info, turnState);
  const actions = useTurnActions(route, conversation, onNavigate);
  const { restored, steer, ...steering } = useSteering(route, conversation, runningTurn);
  return (
    <>
      <Sidebar {...{ route, user, list, waiting, onNavigate }} />
      <main tabIndex={-1}>
        <TopBar {...top} waiting={waiting.length} />
        <FirstModels value={firstModels}>
          <ExchangeActionsContext value={{ ...reports, ...steering, ...actions }}>
            <Exchanges {...{ projectId, conversation, addressedTurn, runningTurn, options }} />
          </ExchangeActionsContext>
        </FirstModels>
        <Composer
          key={restored.count}
          route={route}
          isNew={conversation.isRead ? conversation.items.length === 0 : undefined}
          models={info?.models ?? []}
          runningTurn={runningTurn}
          initialText={restored.text}
          options={options}
          onOptionsChange={onOptions}
          onSend={actions.onSend}
          onSteer={steer}
        />
      </main>
    </>
  );
};

/** Returns what the top bar shows beside the title: the cost of the ended turns, and the model that is asked next. */
const factsOf = (
  listed: ListedConversation | undefined,
  info: InfoResponse | undefined,
  { model = info?.model }: MessageOptions,
): readonly string[] => [
  ...(listed === undefined || listed.cost === null
    ? []
    : [`Cost ${costAndWasteWords(listed.cost, listed.wastedCost)}`]),
  ...(model === undefined ? [] : [model]),
];

/**
 * Returns the turn that runs in the conversation, and the functions with which its view reports that. `turnState`
 * changes with the turn and with its open input requests.
 */
const useRunningTurn = () => {
  const [runningTurn, setRunningTurn] = useState<string>();
  const [openInputs, onOpenInputs] = useState('');
  const onRunning = useCallback((turnId: string, isRunning: boolean) => {
    setRunningTurn((before) => (isRunning ? turnId : before === turnId ? undefined : before));
  }, []);
  return { runningTurn, turnState: `${runningTurn} ${openInputs}`, onRunning, onOpenInputs };
};

/** Returns the handlers that send, send again and discard messages, and show another branch of the conversation. */
const useTurnActions = (
  route: PageRoute,
  conversation: ShownConversation,
  onNavigate: ChatPageProps['onNavigate'],
): Pick<ExchangeActions, 'onSend' | 'onSendAgain' | 'onDiscard' | 'onShow'> => ({
  onSend: (content, options, parent) => {
    const turnId = createPageId('turn');
    // The element that has the focus may disappear with the branch that is shown.
    focusComposer();
    const parentTurnId = parent === undefined ? lastTurnOf(conversation.branch) : parent;
    const { projectId, conversationId } = route;
    onNavigate({ ...route, turnId }, 'replace');
    conversation.send(
      { ...options, projectId, conversationId, turnId, parentTurnId, content },
      parent !== undefined,
    );
  },
  onSendAgain: (unsent) => {
    onNavigate({ ...route, turnId: unsent.message.turnId }, 'replace');
    conversation.sendAgain(unsent);
  },
  onDiscard: (unsent) => {
    const { turnId: _discarded, ...around } = route;
    const turnId = lastTurnOf(conversation.branch);
    // The address must not name a message that no longer exists.
    onNavigate({ ...around, ...(turnId !== undefined && { turnId }) }, 'replace');
    conversation.discard(unsent);
  },
  onShow: (turnId) => onNavigate({ ...route, turnId }),
});

/**
 * Reads the newest messages when the conversation has a newest turn that is not among the items, because another client
 * has begun it.
 */
const useReadNewTurns = (
  { items, isRead, readNewest }: ShownConversation,
  newest: string | undefined,
): void => {
  const isNew =
    isRead &&
    newest !== undefined &&
    !items.some((item) => item.kind === 'exchange' && item.turnId === newest);
  useEffect(() => {
    if (isNew) readNewest();
  }, [isNew, readNewest]);
};

/**
 * Returns the function that sends messages into the running turn. Messages that a turn has not read before its end are
 * put back into the composer.
 */
const useSteering = (route: PageRoute, conversation: ShownConversation, runningTurn: string | undefined) => {
  const [restored, setRestored] = useState({ text: '', count: 0 });
  const onTakeBack = useCallback((text: string): void => {
    setRestored(({ count }) => ({ text, count: count + 1 }));
  }, []);
  const steers = useSteers(route, ({ messageId, content, turnId }) => {
    conversation.add({ turnId: messageId, message: content }, turnId);
    // The gateway makes the newest turn the parent of the new one. That may be another turn by now, and the stored
    // messages show which it is.
    conversation.readNewest();
  });
  const { pending, remove } = steers;
  const onUnapplied = useCallback(
    (messageIds: readonly string[]): void => {
      const unapplied = pending.filter(({ message }) => messageIds.includes(message.messageId));
      if (unapplied.length === 0) return;
      onTakeBack(unapplied.map(({ message }) => message.content).join('\n'));
      remove(messageIds);
    },
    [pending, remove, onTakeBack],
  );
  const steer = (content: string, when: SteerMessage['when']): void => {
    if (runningTurn !== undefined) {
      steers.send({ turnId: runningTurn, messageId: createPageId('turn'), content, when });
    }
  };
  return { steers, restored, onTakeBack, onUnapplied, steer };
};

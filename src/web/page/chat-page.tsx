import { useCallback, useEffect, useState } from 'react';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import type { SignInResponse } from '../../contracts/http/sign-in-api.ts';
import { costAndWasteWords } from '../wording/cost-words.ts';
import type { Navigate, PageRoute } from '../route/address.ts';
import type { MessageOptions } from '../composer/message-options.ts';
import { Composer } from '../composer/composer.tsx';
import { ExchangeActionsContext } from '../conversation/exchange-actions.ts';
import { Exchanges } from '../conversation/exchanges.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { type ShownConversation, useConversation } from '../conversation/use-conversation.ts';
import { type ListedConversation, useConversations } from '../sidebar/use-conversations.ts';
import { useStoredOptions } from '../composer/use-stored-options.ts';
import { useSteers } from '../conversation/use-steers.ts';
import { useTurnActions } from '../conversation/use-turn-actions.ts';
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
  const { restoredDraft, steer, ...steering } = useSteers(route, conversation, runningTurn);
  return (
    <>
      <Sidebar {...{ route, user, list, waiting, onNavigate }} />
      <main tabIndex={-1}>
        <TopBar {...top} waitingCount={waiting.length} />
        <FirstModels value={firstModels}>
          <ExchangeActionsContext value={{ ...reports, ...steering, ...actions }}>
            <Exchanges {...{ projectId, conversation, addressedTurn, runningTurn, options }} />
          </ExchangeActionsContext>
        </FirstModels>
        <Composer
          key={restoredDraft.count}
          route={route}
          isNew={conversation.isRead ? conversation.items.length === 0 : undefined}
          models={info?.models ?? []}
          runningTurn={runningTurn}
          initialText={restoredDraft.text}
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
    setRunningTurn((before) => {
      if (isRunning) return turnId;
      return before === turnId ? undefined : before;
    });
  }, []);
  return { runningTurn, turnState: `${runningTurn} ${openInputs}`, onRunning, onOpenInputs };
};

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

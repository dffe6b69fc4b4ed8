import { useEffect, useLayoutEffect, useRef } from 'react';
import type { MessageOptions } from '../composer/message-options.ts';
import { type BranchItem, lastTurnOf } from './branches.ts';
import { useExchangeActions } from './exchange-actions.ts';
import { ExchangeView } from './exchange-view.tsx';
import { itemKey } from './history.ts';
import { ErrorBoundary } from '../components/error-boundary.tsx';
import { Problem } from '../components/problem.tsx';
import { useStickToEnd } from './use-stick-to-end.ts';
import type { ShownConversation } from './use-conversation.ts';
import { useVisibleRange } from './use-visible-range.ts';

/** Messages that an empty conversation offers to send. */
const EXAMPLES = ['List the files, then read README.md', 'Write a 300-line file docs/a.md'];

interface ExchangesProps {
  readonly projectId: string;
  readonly conversation: ShownConversation;
  /** Id of the turn that the address names. */
  readonly addressedTurn: string | undefined;
  /** Id of the turn that runs in the conversation. */
  readonly runningTurn: string | undefined;
  /** The options of a message that a person sends here. */
  readonly options: MessageOptions;
}

/**
 * Renders the visible range of a conversation, and always the last turn of its branch and the messages that the
 * gateway has not accepted yet. A reader at the end stays there while the content grows.
 */
export const Exchanges = ({ conversation, addressedTurn, options, ...page }: ExchangesProps) => {
  const { onSend } = useExchangeActions();
  const { branch, failure, isRead, readAgain } = conversation;
  const { scroller, scrollToEnd } = useStickToEnd();
  useScrollToSent(branch, scrollToEnd);
  const { from, to, earlier, later } = useVisibleRange(conversation, addressedTurn);
  const last = lastTurnOf(branch);
  const renderItem = (item: BranchItem) =>
    item.kind === 'note' ? (
      <p key={item.id} className="note" dir="auto">
        {item.content}
      </p>
    ) : (
      <ErrorBoundary key={item.turnId}>
        <ExchangeView
          projectId={page.projectId}
          exchange={item}
          isLast={item.turnId === last}
          canStartTurn={page.runningTurn === undefined}
        />
      </ErrorBoundary>
    );
  // The last turn, and messages that the gateway has not accepted yet, are shown even if they are below the range.
  const itemsBelow = branch
    .slice(to)
    .filter((item) => item.kind === 'exchange' && (item.turnId === last || item.unsent));
  return (
    <div className="scroll" ref={scroller} role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
      <div className="column">
        {failure && <Problem failure={failure} retry={readAgain} />}
        {isRead && !failure && <MissingTurnNotice conversation={conversation} addressed={addressedTurn} />}
        {earlier && <More words="Earlier messages" onMore={earlier} />}
        {isRead && branch.length === 0 && <Welcome onSend={(message) => onSend(message, options)} />}
        {branch.slice(from, to).map(renderItem)}
        {later && <More words="Later messages" onMore={later} />}
        {itemsBelow.map(renderItem)}
      </div>
    </div>
  );
};

/** Greets a person in an empty conversation, and offers example messages to send. */
const Welcome = ({ onSend }: { onSend: (message: string) => void }) => (
  <section className="welcome">
    <h2>What shall be done?</h2>
    <p>Orion reads and writes the files of its workspace, and an answer survives whatever stops meanwhile.</p>
    <ul>
      {EXAMPLES.map((example) => (
        <li key={example}>
          <button type="button" onClick={() => onSend(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  </section>
);

/** Says that the turn of the address is not in the branch that is shown, if that is so. */
const MissingTurnNotice = ({
  conversation: { branch, readNewest },
  addressed,
}: {
  conversation: ShownConversation;
  addressed: string | undefined;
}) => {
  const isMissing = addressed !== undefined && !branch.some((item) => itemKey(item) === addressed);
  useEffect(() => {
    // Another client may have begun it after the messages were read.
    if (isMissing) readNewest();
  }, [isMissing, addressed, readNewest]);
  if (!isMissing) return null;
  const cause = 'it was deleted with its conversation, or the address is wrong.';
  const shown = branch.length > 0 ? ' Here are the newest messages of the conversation.' : '';
  return <Problem failure={{ message: `Turn ${addressed} was not found here: ${cause}${shown}` }} />;
};

/** Scrolls to the end when a message is sent, wherever the reader was. */
const useScrollToSent = (branch: readonly BranchItem[], scrollToEnd: () => void): void => {
  const sent = branch.findLast((item) => item.kind === 'exchange' && item.unsent && !item.unsent.failure);
  const name = sent && itemKey(sent);
  useEffect(() => {
    if (name !== undefined) scrollToEnd();
  }, [name, scrollToEnd]);
};

/** A button that shows more items. If it disappears while it has the focus, the focus moves to the conversation. */
const More = ({ words, onMore }: { words: string; onMore: () => void }) => {
  const element = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = element.current;
    return () => {
      if (button !== null && document.activeElement === button) {
        button.closest<HTMLElement>('.scroll')?.focus({ preventScroll: true });
      }
    };
  }, []);
  return (
    <>
      <button ref={element} type="button" className="quiet more" onClick={onMore}>
        {words}
      </button>
      <p className="fact printed">{words} are not on this paper.</p>
    </>
  );
};

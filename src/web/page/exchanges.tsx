import { type AskOptions, FIRST_OPTIONS } from './ask-options.ts';
import { Contained } from './contained.tsx';
import { ExchangeView } from './exchange-view.tsx';
import type { HistoryItem } from './history.ts';
import { Problem } from '../parts/problem.tsx';
import { useBottom } from './use-bottom.ts';
import type { ShownConversation } from './use-conversation.ts';
import type { Steers } from './use-steers.ts';

interface ExchangesProps {
  readonly conversation: ShownConversation;
  readonly onStanding: (turnId: string, isRunning: boolean) => void;
  readonly onAsk: (content: string, options: AskOptions) => void;
  readonly steers: Steers;
  readonly onHandedBack: (messageIds: readonly string[]) => void;
}

/** All that was said, from top to bottom; the end stays in sight while it grows. */
export const Exchanges = ({ conversation, onAsk, ...rest }: ExchangesProps) => {
  const { items, earlierAt, failure, isRead, send, readEarlier } = conversation;
  const bottom = useBottom();
  const last = items.findLast(({ kind }) => kind === 'exchange');
  const draw = (item: HistoryItem) =>
    item.kind === 'note' ? (
      <p key={item.id} className="note">
        {item.content}
      </p>
    ) : (
      <Contained key={item.turnId}>
        <ExchangeView
          exchange={item}
          isLast={item === last}
          {...rest}
          onSendAgain={send}
          onAskAgain={onAsk}
        />
      </Contained>
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
        {isRead && items.length === 0 && <Welcome onAsk={(question) => onAsk(question, FIRST_OPTIONS)} />}
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

import { type AskIn, FIRST_OPTIONS } from './ask-options.ts';
import { type BranchItem, lastTurnOf } from './branches.ts';
import { Contained } from './contained.tsx';
import { ExchangeView } from './exchange-view.tsx';
import type { UnsentQuestion } from './history.ts';
import { Problem } from '../parts/problem.tsx';
import { useBottom } from './use-bottom.ts';
import type { ShownConversation } from './use-conversation.ts';
import type { Steers } from './use-steers.ts';

interface ExchangesProps {
  readonly projectId: string;
  readonly conversation: ShownConversation;
  readonly onStanding: (turnId: string, isRunning: boolean) => void;
  /** Id of the turn that runs here. */
  readonly running: string | undefined;
  readonly onAsk: AskIn;
  readonly onSendAgain: (unsent: UnsentQuestion) => void;
  readonly onDiscard: (unsent: UnsentQuestion) => void;
  /** The branch of that turn instead of the one that is shown. */
  readonly onShow: (turnId: string) => void;
  /** Names what the turn that runs waits for; changes when that does. */
  readonly onAsking: (inputs: string) => void;
  readonly steers: Steers;
  readonly onHandedBack: (messageIds: readonly string[]) => void;
}

/** All that was said, from top to bottom; the end stays in sight while it grows. */
export const Exchanges = ({ conversation, running, onAsk, ...rest }: ExchangesProps) => {
  const { branch, earlierAt, failure, isRead, readEarlier } = conversation;
  const bottom = useBottom();
  const last = lastTurnOf(branch);
  const draw = (item: BranchItem) =>
    item.kind === 'note' ? (
      <p key={item.id} className="note">
        {item.content}
      </p>
    ) : (
      <Contained key={item.turnId}>
        <ExchangeView
          exchange={item}
          isLast={item.turnId === last}
          canAsk={running === undefined}
          {...rest}
          onAsk={onAsk}
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
        {isRead && branch.length === 0 && <Welcome onAsk={(question) => onAsk(question, FIRST_OPTIONS)} />}
        {branch.map(draw)}
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

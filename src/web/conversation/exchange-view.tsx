import { memo, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import { ChangesView } from '../changes/changes-view.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { isTimelineAddressed, TurnTimeline } from '../timeline/turn-timeline.tsx';
import type { AnswerView } from '../turn/answer-view.ts';
import { modelsOfAnswer } from '../turn/models-of-answer.ts';
import { TurnModels } from '../turn/turn-models.ts';
import { activityWords } from '../turn/call-words.ts';
import { CurrentTurn } from '../turn/current-turn.ts';
import { filesAddress } from '../route/address.ts';
import { AnswerParts, AnswerEnd } from './answer-parts.tsx';
import { type StreamedTurn, useTurn } from '../turn/use-turn.ts';
import type { BranchedExchange } from './branches.ts';
import type { AskQuestion } from './ask-options.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Problem } from '../parts/problem.tsx';
import type { UnsentQuestion } from './history.ts';
import { PendingSteers } from './pending-steers.tsx';
import { QuestionView } from './question-view.tsx';
import type { PageSteers } from './use-steers.ts';

interface ExchangeViewProps {
  readonly projectId: string;
  readonly exchange: BranchedExchange;
  readonly isLast: boolean;
  /** True when something may be asked: no turn runs here. */
  readonly canAsk: boolean;
  /** Called with whether the turn runs, once that is known. */
  readonly onRunning: (turnId: string, isRunning: boolean) => void;
  readonly onSendAgain: (unsent: UnsentQuestion) => void;
  readonly onDiscard: (unsent: UnsentQuestion) => void;
  readonly onAsk: AskQuestion;
  readonly onShow: (turnId: string) => void;
  readonly onOpenInputs: (inputs: string) => void;
  readonly steers: PageSteers;
  /** Called with messages into the turn that came too late, since it had ended. */
  readonly onUnapplied: (messageIds: readonly string[]) => void;
  /** Puts a text into the composer, where it can be changed. */
  readonly onTakeBack: (text: string) => void;
}

/** A question and its answer, which streams while its turn runs. */
export const ExchangeView = memo((props: ExchangeViewProps) => {
  const { projectId, exchange, isLast, onRunning } = props;
  const element = useRef<HTMLElement>(null);
  const { turnId } = exchange;
  const turnKey = useMemo(() => ({ projectId, turnId }), [projectId, turnId]);
  const wasSeen = useHasBeenSeen(element);
  const isTaken = exchange.unsent === undefined;
  const isRead = isTaken && (isLast || wasSeen || isTimelineAddressed(turnId));
  const turn = useTurn(isRead ? turnId : undefined);
  const { lastId, view } = turn.log;
  // Without a stored answer the turn counts as running before its first event: all events may come at once, and its end
  // must be noticed. Stored text may be read while the turn is open, and again later.
  const isOpen = exchange.isNew === true || (isLast && exchange.answer === undefined);
  const hasBegun = isRead && (lastId !== null || isOpen);
  const isRunning = hasBegun && view.end === null && turn.failure === undefined;
  useEffect(() => {
    onRunning(turnId, isRunning);
    return () => onRunning(turnId, false);
  }, [turnId, isRunning, onRunning]);
  useReportSteers(view, props);
  useReportOpenInputs(view, isRunning, props);
  return (
    <article ref={element} className="exchange" id={turnId} tabIndex={-1}>
      <h2 className="hidden">You</h2>
      <QuestionView {...props} />
      <h2 className="hidden">Orion</h2>
      <div className="answer" aria-busy={isRunning}>
        {lastId === null && exchange.answer !== undefined ? (
          <Markdown text={exchange.answer} isWhole />
        ) : (
          <CurrentTurn value={turnKey}>
            <AnswerParts view={view} output={turn.output} />
          </CurrentTurn>
        )}
        {view.end && <EndedTurnDetails {...turnKey} entries={view.entries} />}
        {isRunning && <PendingSteers turnId={turnId} {...props} />}
        <AnswerStatus {...props} turn={turn} />
        {!isRunning && <PendingSteers turnId={turnId} {...props} />}
      </div>
    </article>
  );
});

/** Reports what the turn asks, so that the list of waiting requests is read again at once. */
const useReportOpenInputs = (
  { entries }: AnswerView,
  isRunning: boolean,
  { onOpenInputs }: Pick<ExchangeViewProps, 'onOpenInputs'>,
): void => {
  const open = entries.filter((entry) => entry.kind === 'input' && entry.resolution === undefined);
  const inputs = isRunning ? open.map(({ seq }) => seq).join(' ') : '';
  useEffect(() => {
    if (isRunning) onOpenInputs(inputs);
  }, [inputs, isRunning, onOpenInputs]);
};

/** Reports which messages the turn has accepted, and which it has returned with its end. */
const useReportSteers = (
  { entries, end }: AnswerView,
  { steers: { remove }, onUnapplied }: Pick<ExchangeViewProps, 'steers' | 'onUnapplied'>,
): void => {
  useEffect(() => {
    remove(entries.flatMap((entry) => (entry.kind === 'steer' ? [entry.messageId] : [])));
  }, [entries, remove]);
  useEffect(() => {
    if (end?.unapplied) onUnapplied(end.unapplied);
  }, [end, onUnapplied]);
};

/** The lines below the answer of a turn that has ended. */
const EndedTurnDetails = ({
  projectId,
  turnId,
  entries,
}: {
  projectId: string;
  turnId: string;
} & Pick<AnswerView, 'entries'>) => (
  <>
    <ChangesView filesAddress={filesAddress(projectId, turnId)} turnId={turnId} entries={entries} />
    <Timeline turnId={turnId} entries={entries} />
  </>
);

const Timeline = ({ turnId, entries }: { turnId: string } & Pick<AnswerView, 'entries'>) => {
  const replies = useMemo(
    () => entries.flatMap((entry) => (entry.kind === 'input' && entry.resolution ? [entry.resolution] : [])),
    [entries],
  );
  return <TurnTimeline turnId={turnId} replies={replies} />;
};

/** Shows below the answer what happens now, what went wrong, and what can be done. */
const AnswerStatus = ({
  exchange,
  isLast,
  canAsk,
  turn,
  onSendAgain,
  onDiscard,
  onAsk,
  onTakeBack,
}: ExchangeViewProps & { turn: StreamedTurn }) => {
  const { unsent, question, options, parentTurnId } = exchange;
  // Asks the same question in the same way, beside this answer instead of after it.
  const askAgain = (): void => onAsk(question, options, parentTurnId);
  const { end, entries } = turn.log.view;
  const models = modelsOfAnswer(useContext(TurnModels).get(exchange.turnId), entries);
  // The answer of a turn may outlive the turn's record.
  const isGone = turn.failure?.code === 'turn_not_found' && exchange.answer !== undefined;
  if (isGone) return null;
  if (unsent?.failure) return <RefusedQuestion {...{ unsent, onSendAgain, onDiscard, onTakeBack }} />;
  if (turn.failure) return <Problem failure={turn.failure} />;
  if (end?.type === 'error') return <Problem failure={end} {...(isLast && { retry: askAgain })} />;
  if (end) return <AnswerFooter end={end} models={models} {...(canAsk && { askAgain })} />;
  if (turn.log.lastId === null && exchange.answer !== undefined) return null;
  const words = unsent ? 'Sending' : (activityWords(turn.log.view) ?? '');
  return (
    <p className="present">
      <span className="pulse" aria-hidden="true" />
      <span role="status">{turn.isDisconnected ? 'Connection lost: asking again' : words}</span>
    </p>
  );
};

/** Shows why the gateway refused a question, and what can be done about it. */
const RefusedQuestion = ({
  unsent,
  onSendAgain,
  onDiscard,
  onTakeBack,
}: { unsent: UnsentQuestion } & Pick<ExchangeViewProps, 'onSendAgain' | 'onDiscard' | 'onTakeBack'>) => {
  const { message, isBeside, failure } = unsent;
  const edit = (): void => {
    onDiscard(unsent);
    onTakeBack(message.content);
  };
  return failure ? (
    <Problem
      failure={failure}
      retry={() => onSendAgain(unsent)}
      discard={() => onDiscard(unsent)}
      // From the composer it would continue after all that is shown.
      {...(!isBeside && { edit })}
    />
  ) : null;
};

interface AnswerFooterProps {
  readonly end: Extract<TerminalEvent, { type: 'done' }>;
  readonly models: readonly string[];
  readonly askAgain?: () => void;
}

const AnswerFooter = ({ end, models, askAgain }: AnswerFooterProps) => (
  <div className="end">
    <AnswerEnd end={end} models={models} />
    <div className="actions">
      {askAgain && (
        <button type="button" className="quiet" onClick={askAgain}>
          Answer again
        </button>
      )}
      <CopyButton text={end.fullContent} what="answer" />
    </div>
  </div>
);

/** Returns true once the element has been near the visible part of the page. */
const useHasBeenSeen = (element: React.RefObject<HTMLElement | null>): boolean => {
  const [wasSeen, setSeen] = useState(false);
  useEffect(() => {
    const watcher = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '300px' },
    );
    if (element.current) watcher.observe(element.current);
    return () => watcher.disconnect();
  }, [element]);
  return wasSeen;
};

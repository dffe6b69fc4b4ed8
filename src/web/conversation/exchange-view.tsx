import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { ChangesView } from '../changes/changes-view.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { isTimelineAddressed, TurnTimeline } from '../timeline/turn-timeline.tsx';
import type { AnswerView } from '../turn/answer-view.ts';
import { CurrentTurn } from '../turn/current-turn.ts';
import { filesAddress } from '../route/address.ts';
import { AnswerParts } from './answer-parts.tsx';
import { AnswerStatus } from './answer-status.tsx';
import { useTurn } from '../turn/use-turn.ts';
import type { BranchedExchange } from './branches.ts';
import { useExchangeActions } from './exchange-actions.ts';
import { PendingSteers, useReportSteers } from './pending-steers.tsx';
import { UserMessage } from './user-message.tsx';

interface ExchangeViewProps {
  readonly projectId: string;
  readonly exchange: BranchedExchange;
  readonly isLast: boolean;
  /** True when a message may begin a turn: no turn is running in this conversation. */
  readonly canStartTurn: boolean;
}

/** Shows a message and its answer, which streams while its turn runs. */
export const ExchangeView = memo(({ projectId, exchange, isLast, canStartTurn }: ExchangeViewProps) => {
  const { onRunning } = useExchangeActions();
  const element = useRef<HTMLElement>(null);
  const { turnId } = exchange;
  const turnKey = useMemo(() => ({ projectId, turnId }), [projectId, turnId]);
  const wasSeen = useHasBeenSeen(element);
  const isAccepted = exchange.unsent === undefined;
  const shouldRead = isAccepted && (isLast || wasSeen || isTimelineAddressed(turnId));
  const turn = useTurn(shouldRead ? turnId : undefined);
  const { lastId, view } = turn.received;
  // A turn that was begun on this page, or the last one if it has no stored answer, counts as running before its first
  // event. Otherwise its end would go unnoticed if all of its events came at once. A turn with a stored answer has
  // ended.
  const isOpen = exchange.isNew === true || (isLast && exchange.answer === undefined);
  const hasBegun = shouldRead && (lastId !== null || isOpen);
  const isRunning = hasBegun && view.end === null && turn.failure === undefined;
  useEffect(() => {
    onRunning(turnId, isRunning);
    return () => onRunning(turnId, false);
  }, [turnId, isRunning, onRunning]);
  useReportSteers(view);
  useReportOpenInputs(view, isRunning);
  return (
    <article ref={element} className="exchange" id={turnId} tabIndex={-1}>
      <h2 className="hidden">You</h2>
      <UserMessage exchange={exchange} canStartTurn={canStartTurn} />
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
        {isRunning && <PendingSteers turnId={turnId} />}
        <AnswerStatus {...{ exchange, isLast, canStartTurn, turn }} />
        {!isRunning && <PendingSteers turnId={turnId} />}
      </div>
    </article>
  );
});

/**
 * Reports the open input requests of the turn, so that the list of conversations, which shows whether a turn waits, is
 * read again at once.
 */
const useReportOpenInputs = ({ entries }: AnswerView, isRunning: boolean): void => {
  const { onOpenInputs } = useExchangeActions();
  const open = entries.filter((entry) => entry.kind === 'input' && entry.resolution === undefined);
  const inputs = isRunning ? open.map(({ seq }) => seq).join(' ') : '';
  useEffect(() => {
    if (isRunning) onOpenInputs(inputs);
  }, [inputs, isRunning, onOpenInputs]);
};

/** Shows the changed files and the timeline below the answer of a turn that has ended. */
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

/** Reports whether the element has ever been within 300 pixels of the visible part of the page. */
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

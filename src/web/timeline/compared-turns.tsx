import { useCallback, useState } from 'react';
import { Problem } from '../components/problem.tsx';
import { listTurns } from '../http/conversation-requests.ts';
import { useRequest } from '../http/use-request.ts';
import { SpansView } from './spans-view.tsx';
import { differenceWords, measuresOf, measureWords, type MeasuredTurn } from './turn-measures.ts';
import { spanListProps, type SpanList, type TimelineState } from './timeline-hash.ts';
import type { InputReply } from './turn-spans.ts';
import { useMeasuredTurn } from './use-measured-turn.ts';

interface ComparedTurnsProps {
  readonly turn: MeasuredTurn;
  readonly timeline: TimelineState;
  readonly onShow: (timeline: TimelineState) => void;
}

/**
 * Shows a turn beside another turn of its conversation: their numbers with the differences, and their spans to the same
 * scale.
 */
export const ComparedTurns = ({ turn, timeline, onShow }: ComparedTurnsProps) => {
  const { turnId, comparedTurnId, listStates } = timeline;
  const [isOpen, setOpen] = useState(comparedTurnId !== undefined);
  if (!isOpen) {
    return (
      <button type="button" className="quiet" onClick={() => setOpen(true)}>
        Compare …
      </button>
    );
  }
  // Another turn changes the scale, so the comparison begins without zoom.
  const onChoose = (chosen: string | undefined): void =>
    onShow({
      turnId,
      ...(chosen !== undefined && { comparedTurnId: chosen }),
      listStates: listStates.steps ? { steps: listStates.steps } : {},
    });
  return (
    <section className="compared" aria-label="Comparison">
      <OtherTurns status={turn.status} chosen={comparedTurnId} onChoose={onChoose} />
      {comparedTurnId !== undefined && (
        <Comparison key={comparedTurnId} {...{ turn, comparedTurnId, timeline, onShow }} />
      )}
    </section>
  );
};

interface OtherTurnsProps {
  readonly status: MeasuredTurn['status'];
  readonly chosen: string | undefined;
  readonly onChoose: (turnId: string | undefined) => void;
}

/** Largest number of turns that are read, the newest ones first, to be offered for a comparison. */
const MAX_OFFERED = 100;

const OtherTurns = ({ status: { projectId, conversationId, turnId }, chosen, onChoose }: OtherTurnsProps) => {
  const list = useRequest(
    useCallback(
      () => listTurns({ projectId, conversationId, limit: MAX_OFFERED }),
      [projectId, conversationId],
    ),
  );
  if (!list) return null;
  if (!list.ok) return <Problem failure={list.failure} />;
  const others = list.value.turns.filter((other) => other.turnId !== turnId && other.endedAt !== null);
  if (others.length === 0) return <p className="fact">No other turn of this conversation has ended.</p>;
  return (
    <p>
      <span className="fact">Compared with</span>{' '}
      <select
        aria-label="Compare with"
        value={chosen ?? ''}
        onChange={({ target }) => onChoose(target.value || undefined)}
      >
        <option value="">…</option>
        {others.map((other) => (
          <option key={other.turnId} value={other.turnId}>
            {new Date(other.startedAt).toLocaleTimeString('en-GB')} {other.title}
          </option>
        ))}
      </select>
    </p>
  );
};

/**
 * The replies in the other turn, which are not read, so the waits of that turn are not shown. The page knows only the
 * replies in the answer of its own turn.
 */
const NO_REPLIES: readonly InputReply[] = [];

interface ComparisonProps extends ComparedTurnsProps {
  readonly comparedTurnId: string;
}

const Comparison = ({ turn, comparedTurnId, timeline, onShow }: ComparisonProps) => {
  const result = useMeasuredTurn(comparedTurnId, NO_REPLIES);
  if (!result) return <p className="fact">Reading the other trace …</p>;
  if (!result.ok) return <Problem failure={result.failure} />;
  const other = result.value;
  const propsOf = (list: SpanList) => spanListProps(list, timeline, onShow);
  const scaleMs = Math.max(turn.timelineMs, other.timelineMs);
  return (
    <>
      <Measures turn={turn} other={other} />
      <h3>This turn</h3>
      <SpansView
        label="Steps of this turn"
        turnId={turn.status.turnId}
        spans={turn.spans}
        scaleMs={scaleMs}
        {...propsOf('this')}
      />
      <h3>The other</h3>
      <SpansView
        label="Steps of the other turn"
        turnId={other.status.turnId}
        spans={other.spans}
        scaleMs={scaleMs}
        {...propsOf('other')}
      />
    </>
  );
};

const Measures = ({ turn, other }: { turn: MeasuredTurn; other: MeasuredTurn }) => {
  const otherMeasures = measuresOf(other);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden">Measure</span>
          </th>
          <th scope="col">This turn</th>
          <th scope="col">The other</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {measuresOf(turn).map((measure, index) => {
          const otherMeasure = otherMeasures[index] ?? measure;
          return (
            <tr key={measure.name}>
              <th scope="row">{measure.name}</th>
              <td>{measureWords(measure)}</td>
              <td>{measureWords(otherMeasure)}</td>
              <td>{differenceWords(measure, otherMeasure)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

import { useEffect, useRef, useState } from 'react';
import type { TurnStatusResponse } from '../../contracts/http/turn-api.ts';
import { Problem } from '../components/problem.tsx';
import { ComparedTurns } from './compared-turns.tsx';
import { SpansView } from './spans-view.tsx';
import { setAddressHash, readAddressHash } from '../route/address-hash.ts';
import { readTimelineHash, spanListProps, timelineHash, type TimelineState } from './timeline-hash.ts';
import { measureWords, type MeasuredTurn, notableMeasures } from './turn-measures.ts';
import type { InputReply } from './turn-spans.ts';
import { useMeasuredTurn } from './use-measured-turn.ts';

interface TurnTimelineProps {
  readonly turnId: string;
  readonly replies: readonly InputReply[];
}

/** Reports whether the address opens the timeline of this turn. */
export const isTimelineAddressed = (turnId: string): boolean =>
  readTimelineHash(readAddressHash())?.turnId === turnId;

/**
 * Shows the spans of a turn to scale. They are read once the timeline is open. The address names the timeline that was
 * opened or changed last.
 */
export const TurnTimeline = (props: TurnTimelineProps) => {
  const { turnId } = props;
  const element = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(() => isTimelineAddressed(turnId));
  const [timeline, setTimeline] = useState(() => addressedTimeline(turnId));
  const onShow = (next: TimelineState): void => {
    setTimeline(next);
    setAddressHash(timelineHash(next));
  };
  useEffect(() => {
    if (isTimelineAddressed(turnId)) element.current?.scrollIntoView();
  }, [turnId]);
  const onToggle = (isNowOpen: boolean): void => {
    setOpen(isNowOpen);
    if (isNowOpen !== isTimelineAddressed(turnId)) setAddressHash(isNowOpen ? timelineHash(timeline) : '');
  };
  return (
    <details
      ref={element}
      className="timeline"
      open={isOpen}
      onToggle={({ currentTarget }) => onToggle(currentTarget.open)}
    >
      <summary>What it did</summary>
      {isOpen && <OpenTimeline {...props} timeline={timeline} onShow={onShow} />}
    </details>
  );
};

/** Returns the state of the timeline that the address names for this turn, or a state with nothing open. */
const addressedTimeline = (turnId: string): TimelineState => {
  const addressed = readTimelineHash(readAddressHash());
  return addressed?.turnId === turnId ? addressed : { turnId, listStates: {} };
};

interface OpenTimelineProps extends TurnTimelineProps {
  readonly timeline: TimelineState;
  readonly onShow: (timeline: TimelineState) => void;
}

const OpenTimeline = ({ turnId, replies, timeline, onShow }: OpenTimelineProps) => {
  const result = useMeasuredTurn(turnId, replies);
  if (!result) return <p className="fact">Reading the trace …</p>;
  if (!result.ok) return <Problem failure={result.failure} />;
  const turn = result.value;
  return (
    <>
      <TurnFacts turn={turn} />
      <SpansView
        label="Steps of the turn"
        turnId={turnId}
        spans={turn.spans}
        scaleMs={turn.timelineMs}
        {...spanListProps('steps', timeline, onShow)}
      />
      <ComparedTurns turn={turn} timeline={timeline} onShow={onShow} />
    </>
  );
};

const TurnFacts = ({ turn }: { turn: MeasuredTurn }) => {
  const measures = notableMeasures(turn);
  const { protocol, mode } = turn.status;
  const models = [...new Set(turn.spans.flatMap(({ model }) => model ?? []))];
  return (
    <dl>
      {isUnpriced(turn) && (
        <div>
          <dt>Cost</dt>
          <dd>not known: a model that it called has no price</dd>
        </div>
      )}
      {measures.map((measure) => (
        <div key={measure.name}>
          <dt>{measure.name}</dt>
          <dd>{measureWords(measure)}</dd>
        </div>
      ))}
      {models.length > 0 && (
        <div>
          <dt>{models.length === 1 ? 'Model' : 'Models'}</dt>
          <dd>{models.join(', then ')}</dd>
        </div>
      )}
      <div>
        <dt>Protocol</dt>
        <dd>
          {protocol.replace('_', '-')}, {mode}
        </dd>
      </div>
      <WorkflowLink status={turn.status} />
    </dl>
  );
};

const isUnpriced = ({ status: { cost, endedAt }, spans }: MeasuredTurn): boolean =>
  cost === null && endedAt !== null && spans.some(({ kind }) => kind === 'model');

const WorkflowLink = ({ status: { temporalUrl } }: { status: TurnStatusResponse }) =>
  temporalUrl === null ? null : (
    <div>
      <dt>Workflow</dt>
      <dd>
        <a href={temporalUrl} target="_blank" rel="noopener noreferrer">
          in the Temporal Web UI
        </a>
      </dd>
    </div>
  );

import { useEffect, useRef, useState } from 'react';
import type { TurnStatusAnswer } from '../../contracts/http/turn-api.ts';
import { Problem } from '../parts/problem.tsx';
import type { Failure } from '../server/gateway-request.ts';
import { turnStatus, turnTrace } from '../server/requests.ts';
import { durationWords } from '../turn/call-words.ts';
import { Payload } from '../parts/payload.tsx';
import { type RepliedInput, spansOf, type TurnSpan } from './turn-spans.ts';

interface TurnTimelineProps {
  readonly turnId: string;
  readonly replies: readonly RepliedInput[];
}

interface ReadTimeline {
  readonly status: TurnStatusAnswer;
  readonly spans: readonly TurnSpan[];
}

const addressOf = (turnId: string): string => `#did-${turnId}`;

/** The address leads to what this turn did. */
export const isAddressed = (turnId: string): boolean => location.hash === addressOf(turnId);

/** What a turn did, to scale: read when somebody opens it, which its address says. */
export const TurnTimeline = (props: TurnTimelineProps) => {
  const { turnId } = props;
  const place = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(() => isAddressed(turnId));
  useEffect(() => {
    if (isAddressed(turnId)) place.current?.scrollIntoView();
  }, [turnId]);
  const onToggle = (opened: boolean): void => {
    setOpen(opened);
    if (opened !== isAddressed(turnId))
      history.replaceState(null, '', opened ? addressOf(turnId) : location.pathname + location.search);
  };
  return (
    <details
      ref={place}
      className="timeline"
      open={isOpen}
      onToggle={({ currentTarget }) => onToggle(currentTarget.open)}
    >
      <summary>What it did</summary>
      {isOpen && <OpenTimeline {...props} />}
    </details>
  );
};

const OpenTimeline = ({ turnId, replies }: TurnTimelineProps) => {
  const [read, setRead] = useState<ReadTimeline>();
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    const ask = async (): Promise<void> => {
      const status = await turnStatus(turnId);
      if (!status.ok) return setFailure(status.failure);
      const trace = await turnTrace(status.value.projectId, turnId);
      if (!trace.ok) return setFailure(trace.failure);
      setRead({ status: status.value, spans: spansOf(trace.value, replies) });
    };
    void ask();
  }, [turnId, replies]);
  if (failure) return <Problem failure={failure} />;
  if (!read) return <p className="fact">Reading the trace …</p>;
  return (
    <>
      <TurnFacts status={read.status} />
      <Spans spans={read.spans} />
    </>
  );
};

const TurnFacts = ({
  status: { waste, protocol, mode, startedAt, endedAt, temporalUrl },
}: {
  status: TurnStatusAnswer;
}) => {
  const facts: readonly (readonly [name: string, value: string | number])[] = [
    ['Took', endedAt === null ? 'runs' : durationWords(Date.parse(endedAt) - Date.parse(startedAt))],
    ['Protocol', `${protocol.replace('_', '-')}, ${mode}`],
    ['Duplicates refused', waste.duplicatesRefused],
    ['Tokens asked for again', waste.retriedTokens],
    ['Characters withdrawn', waste.discardedCharacters],
  ];
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {temporalUrl !== null && (
        <div>
          <dt>Workflow</dt>
          <dd>
            <a href={temporalUrl} target="_blank" rel="noopener noreferrer">
              in the Temporal Web UI
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
};

const Spans = ({ spans }: { spans: readonly TurnSpan[] }) => {
  const wholeMs = Math.max(1, ...spans.map(({ beganMs, tookMs }) => beganMs + tookMs));
  return (
    <ol aria-label="Steps of the turn">
      {spans.map((span) => (
        <li key={span.id}>
          <details>
            <summary>
              <span className="what">{span.label}</span>
              <Bar span={span} wholeMs={wholeMs} />
              <span className="fact">{durationWords(span.tookMs)}</span>
              {span.facts.length > 0 && <span className="fact facts">{span.facts.join(' · ')}</span>}
            </summary>
            {span.details !== null && <Payload title="Trace" text={JSON.stringify(span.details, null, 2)} />}
          </details>
        </li>
      ))}
    </ol>
  );
};

/** Thousandths of the turn's time. */
const SCALE = 1_000;
/** Thousandths of the width that a bar has at the least: narrower nobody would see it. */
const THINNEST = 4;

const Bar = ({ span: { kind, isOk, beganMs, tookMs }, wholeMs }: { span: TurnSpan; wholeMs: number }) => {
  const x = Math.min((beganMs / wholeMs) * SCALE, SCALE - THINNEST);
  const width = Math.max((tookMs / wholeMs) * SCALE, THINNEST);
  return (
    <svg className="bar" viewBox={`0 0 ${SCALE} 10`} preserveAspectRatio="none" aria-hidden="true">
      <rect className={`${kind} ${isOk ? 'ok' : 'failed'}`} x={x} y="0" width={width} height="10" />
    </svg>
  );
};

import { durationWords } from '../wording/number-words.ts';
import { Payload } from '../components/payload.tsx';
import { SentPromptView } from './sent-prompt.tsx';
import type { SpanListState } from './timeline-hash.ts';
import {
  isNarrowest,
  movedWindow,
  visiblePartOf,
  type TimeWindow,
  scaledWindow,
  windowFrom,
  windowAround,
} from './timeline-window.ts';
import type { TurnSpan } from './traced-spans.ts';

interface SpansViewProps {
  readonly label: string;
  readonly turnId: string;
  readonly spans: readonly TurnSpan[];
  /** Milliseconds that the full width stands for, without zoom. */
  readonly scaleMs: number;
  readonly state: SpanListState;
  readonly onChange: (state: SpanListState) => void;
}

/** Shows the spans of a turn as bars of one scale, which can be zoomed. */
export const SpansView = ({ label, turnId, spans, scaleMs, state, onChange }: SpansViewProps) => {
  const window = windowFrom(state.window, scaleMs);
  const onWindowChange = (next: TimeWindow): void =>
    onChange({ open: state.open, ...(next.widthMs < scaleMs && { window: next }) });
  const onOpen = (id: string, isOpen: boolean): void => {
    const others = state.open.filter((each) => each !== id);
    onChange({ ...state, open: isOpen ? [...others, id] : others });
  };
  return (
    <div className="spans">
      <Zoom window={window} scaleMs={scaleMs} onWindowChange={onWindowChange} />
      <ol aria-label={label}>
        {spans.map((span) => (
          <Span
            key={span.id}
            turnId={turnId}
            span={span}
            window={window}
            isOpen={state.open.includes(span.id)}
            onOpen={(isOpen) => onOpen(span.id, isOpen)}
            onZoom={() => onWindowChange(windowAround(span, scaleMs))}
          />
        ))}
      </ol>
    </div>
  );
};

interface SpanProps {
  readonly turnId: string;
  readonly span: TurnSpan;
  readonly window: TimeWindow;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onZoom: () => void;
}

const Span = ({ turnId, span, window, isOpen, onOpen, onZoom }: SpanProps) => {
  // `toggle` also fires when the address has opened the span, which is no change.
  const onToggle = (isNowOpen: boolean): void => {
    if (isNowOpen !== isOpen) onOpen(isNowOpen);
  };
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
        <summary>
          <span className="what">{span.label}</span>
          <Bar span={span} window={window} />
          <span className="fact">{durationWords(span.tookMs)}</span>
          {span.facts.length > 0 && <span className="fact facts">{span.facts.join(' · ')}</span>}
        </summary>
        <button type="button" className="quiet" onClick={onZoom}>
          Zoom to this step
        </button>
        {span.step !== undefined && <SentPromptView turnId={turnId} step={span.step} />}
        {span.details !== null && <Payload title="Trace" text={JSON.stringify(span.details, null, 2)} />}
      </details>
    </li>
  );
};

interface ZoomProps {
  readonly window: TimeWindow;
  readonly scaleMs: number;
  readonly onWindowChange: (window: TimeWindow) => void;
}

/** Controls for the visible piece of time: buttons that make it wider or narrower, and a slider that moves it. */
const Zoom = ({ window, scaleMs, onWindowChange }: ZoomProps) => {
  const isWhole = window.widthMs >= scaleMs;
  const zoomButton = (label: string, sign: string, factor: number, isOff: boolean) => (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      disabled={isOff}
      onClick={() => onWindowChange(scaledWindow(window, factor, scaleMs))}
    >
      {sign}
    </button>
  );
  return (
    <div className="zoom">
      <div role="group" aria-label="Zoom">
        {zoomButton('Zoom out', '−', 2, isWhole)}
        {zoomButton('Zoom in', '+', 1 / 2, isNarrowest(window))}
      </div>
      <Axis {...{ window, scaleMs, onWindowChange }} />
    </div>
  );
};

const Axis = ({ window, scaleMs, onWindowChange }: ZoomProps) => {
  const { fromMs, widthMs } = window;
  const [from, to] = [fromMs, fromMs + widthMs].map(durationWords);
  return (
    <div className="axis" dir="ltr">
      <span className="fact">{from}</span>
      <input
        type="range"
        aria-label="Part of the time that is seen"
        aria-valuetext={`${from} to ${to}`}
        min={0}
        max={Math.max(0, scaleMs - widthMs)}
        step="any"
        value={fromMs}
        disabled={widthMs >= scaleMs}
        onChange={({ target }) => onWindowChange(movedWindow(window, target.valueAsNumber, scaleMs))}
      />
      <span className="fact">{to}</span>
    </div>
  );
};

/** Width of a bar that fills the visible piece of time, in units of the drawing. */
const BAR_UNITS = 1_000;
/** Smallest width of a bar, in the same units. A narrower bar could not be seen. */
const THINNEST = 4;

const Bar = ({ span, window }: { span: TurnSpan; window: TimeWindow }) => {
  const { kind, isOk, startMs, tookMs, firstTextMs } = span;
  const whole = visiblePartOf(window, startMs, tookMs);
  const silent = firstTextMs === undefined ? undefined : visiblePartOf(window, startMs, firstTextMs);
  return (
    <svg className="bar" viewBox={`0 0 ${BAR_UNITS} 10`} preserveAspectRatio="none" aria-hidden="true">
      {whole && (
        <rect
          className={`${kind} ${isOk ? 'ok' : 'failed'}`}
          x={Math.min(whole.at * BAR_UNITS, BAR_UNITS - THINNEST)}
          width={Math.max(whole.width * BAR_UNITS, THINNEST)}
          height="10"
        />
      )}
      {silent && (
        <rect className="silent" x={silent.at * BAR_UNITS} width={silent.width * BAR_UNITS} height="10" />
      )}
    </svg>
  );
};

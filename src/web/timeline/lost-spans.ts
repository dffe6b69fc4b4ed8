/*
 * The time that lost attempts have cost. A lost attempt does not record its time itself, because its worker died. All
 * functions here are pure.
 *
 * The span of a lost attempt begins at the end of the span before, or at the beginning of its phase. It ends when the
 * attempt that took its place begins, or when the call is given up. What is stored does not tell the lost attempt from
 * the wait for the next one.
 */
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { numberWords } from '../wording/number-words.ts';
import { type TracedSpan, numberField } from './traced-spans.ts';
import { fieldsOf } from '../../contracts/values/unchecked-value.ts';

/**
 * Returns the spans of lost attempts. `otherSpans` are the other spans of the trace. `startMs` of all of them is in
 * milliseconds since 1970.
 */
export const lostSpans = (
  trace: readonly TraceEvent[],
  otherSpans: readonly TracedSpan[],
): readonly TracedSpan[] => [
  ...lostAttempts(trace, otherSpans),
  ...trace.flatMap((event) => lostCall(trace, event, otherSpans)),
];

/**
 * Returns a span for each gap in the attempt numbers of a model call. Lost attempts were counted, but have recorded
 * nothing.
 */
const lostAttempts = (
  trace: readonly TraceEvent[],
  otherSpans: readonly TracedSpan[],
): readonly TracedSpan[] => {
  const attempts = otherSpans.filter(({ attempt }) => attempt !== undefined);
  const byStep = Map.groupBy(attempts, ({ step }) => step);
  return [...byStep.values()].flatMap((ofStep) =>
    ofStep
      .toSorted((one, other) => (one.attempt ?? 0) - (other.attempt ?? 0))
      .flatMap((next, index, all): readonly TracedSpan[] => {
        const count = (next.attempt ?? 0) - (all[index - 1]?.attempt ?? 0) - 1;
        if (count < 1) return [];
        const startMs = previousEndMs(trace, next, otherSpans);
        const { id, phaseIndex } = next;
        return [lostSpan({ id: `${id}.lost`, phaseIndex }, count, startMs, next.startMs)];
      }),
  );
};

const lostSpan = (
  { id, phaseIndex }: Pick<TracedSpan, 'id' | 'phaseIndex'>,
  count: number,
  startMs: number,
  endMs: number,
): TracedSpan => ({
  id,
  phaseIndex,
  kind: 'lost',
  label: count === 1 ? 'Lost attempt' : `${numberWords(count)} lost attempts`,
  startMs,
  tookMs: Math.max(0, endMs - startMs),
  isOk: false,
  facts: [count === 1 ? 'with the wait for the next one' : 'with the waits for the next ones'],
  details: null,
});

/**
 * Returns the span of a call whose attempts were all lost, and none for any other event. The trace of such a call has
 * an end, but no duration.
 */
const lostCall = (
  trace: readonly TraceEvent[],
  event: TraceEvent,
  otherSpans: readonly TracedSpan[],
): readonly TracedSpan[] => {
  const { type, error, createdAt, summary, phaseIndex } = event;
  const isLost = error !== null && numberField(fieldsOf(event.details), 'durationMs') === undefined;
  if (!isLost || (type !== 'llm_result' && type !== 'tool_result')) return [];
  const endMs = Date.parse(createdAt);
  const startMs = previousEndMs(trace, { startMs: endMs, phaseIndex }, otherSpans);
  const label = type === 'llm_result' ? 'Lost model call' : summary;
  return [{ ...lostSpan(event, 1, startMs, endMs), label, facts: [error], details: event.details }];
};

/**
 * Returns the time at which the last span before a moment ended, or at which the phase of the moment began, whichever
 * is later. Returns the moment itself if nothing came before it.
 */
const previousEndMs = (
  trace: readonly TraceEvent[],
  { startMs, phaseIndex }: Pick<TracedSpan, 'startMs' | 'phaseIndex'>,
  otherSpans: readonly TracedSpan[],
): number => {
  const begins = trace
    .filter((event) => event.type === 'orchestration_phase_start' && event.phaseIndex === phaseIndex)
    .map(({ createdAt }) => Date.parse(createdAt));
  const ends = otherSpans.map((span) => span.startMs + span.tookMs);
  const before = [...begins, ...ends].filter((each) => each <= startMs);
  return before.length === 0 ? startMs : Math.max(...before);
};

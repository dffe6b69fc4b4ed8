/*
 * The time that lost attempts have cost, which no attempt tells of itself: its worker died.
 * All functions here are pure.
 *
 * It goes from the end of what was done before, or the beginning of its phase, to the beginning of the attempt that
 * took its place: the lost attempt and the wait for the next one are told apart by nothing that is kept.
 */
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { countWords } from '../parts/count-words.ts';
import { type TracedSpan, numberIn } from './traced-spans.ts';
import { fieldsOf } from '../../contracts/values/record.ts';

/** `known`: spans of the same trace and waits, beside which they stand; all in milliseconds since the epoch. */
export const lostSpans = (
  trace: readonly TraceEvent[],
  known: readonly TracedSpan[],
): readonly TracedSpan[] => [
  ...lostAttempts(trace, known),
  ...trace.flatMap((event) => lostCall(trace, event, known)),
];

/** Attempts that a later attempt of the same model call has counted on from. */
const lostAttempts = (trace: readonly TraceEvent[], known: readonly TracedSpan[]): readonly TracedSpan[] => {
  const attempts = known.filter(({ attempt }) => attempt !== undefined);
  const byStep = Map.groupBy(attempts, ({ step }) => step);
  return [...byStep.values()].flatMap((ofStep) =>
    ofStep
      .toSorted((one, other) => (one.attempt ?? 0) - (other.attempt ?? 0))
      .flatMap((next, at, all): readonly TracedSpan[] => {
        const count = (next.attempt ?? 0) - (all[at - 1]?.attempt ?? 0) - 1;
        if (count < 1) return [];
        const beganMs = beforeIt(trace, next, known);
        const { id, phaseIndex } = next;
        return [lost({ id: `${id}.lost`, phaseIndex }, count, beganMs, next.beganMs)];
      }),
  );
};

const lost = (
  { id, phaseIndex }: Pick<TracedSpan, 'id' | 'phaseIndex'>,
  count: number,
  beganMs: number,
  endMs: number,
): TracedSpan => ({
  id,
  phaseIndex,
  kind: 'lost',
  label: count === 1 ? 'Lost attempt' : `${countWords(count)} lost attempts`,
  beganMs,
  tookMs: Math.max(0, endMs - beganMs),
  isOk: false,
  facts: [count === 1 ? 'with the wait for the next one' : 'with the waits for the next ones'],
  details: null,
});

/** A call of which every attempt was lost: its end is told in its place, without how long it took. */
const lostCall = (
  trace: readonly TraceEvent[],
  event: TraceEvent,
  known: readonly TracedSpan[],
): readonly TracedSpan[] => {
  const { type, error, createdAt, summary, phaseIndex } = event;
  const isLost = error !== null && numberIn(fieldsOf(event.details), 'durationMs') === undefined;
  if (!isLost || (type !== 'llm_result' && type !== 'tool_result')) return [];
  const endMs = Date.parse(createdAt);
  const beganMs = beforeIt(trace, { beganMs: endMs, phaseIndex }, known);
  const label = type === 'llm_result' ? 'Lost model call' : summary;
  return [{ ...lost(event, 1, beganMs, endMs), label, facts: [error], details: event.details }];
};

/** The end of what was done before something, within its phase. */
const beforeIt = (
  trace: readonly TraceEvent[],
  { beganMs, phaseIndex }: Pick<TracedSpan, 'beganMs' | 'phaseIndex'>,
  known: readonly TracedSpan[],
): number => {
  const begins = trace
    .filter((event) => event.type === 'orchestration_phase_start' && event.phaseIndex === phaseIndex)
    .map(({ createdAt }) => Date.parse(createdAt));
  const ends = known.map((span) => span.beganMs + span.tookMs);
  const before = [...begins, ...ends].filter((each) => each <= beganMs);
  return before.length === 0 ? beganMs : Math.max(...before);
};

/*
 * The pieces of the time of a turn, from its trace and from the replies to its input requests. All functions here are
 * pure.
 */
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { lostSpans } from './lost-spans.ts';
import { modelsOfSteps, spansOfEvent, type TracedSpan, type TurnSpan } from './traced-spans.ts';

/**
 * The reply that resolved an input request, or its default because nobody replied in time. `at` is the time of the
 * resolution in ISO 8601.
 */
export interface InputReply {
  readonly inputId: string;
  readonly at: string;
}

/** The records from which the spans of a turn are made. `startedAt` is in ISO 8601. */
export interface TurnRecord {
  readonly startedAt: string;
  readonly trace: readonly TraceEvent[];
  readonly replies: readonly InputReply[];
}

/**
 * Returns the spans of a turn in the order in which they began. Model calls, tools and failed attempts record how long
 * they took. A wait begins where the span before it ended, and so does a lost attempt, unless its phase began later.
 */
export const spansOfTurn = ({ startedAt, trace, replies }: TurnRecord): readonly TurnSpan[] => {
  const models = modelsOfSteps(trace);
  const workSpans = trace.flatMap((event) => spansOfEvent(event, models));
  const ends = workSpans.map((span) => span.startMs + span.tookMs);
  const waits = replies.map(({ inputId, at }): TracedSpan => {
    const end = Date.parse(at);
    const began = Math.max(...ends.filter((each) => each <= end), Number.NEGATIVE_INFINITY);
    const startMs = Number.isFinite(began) ? began : end;
    const span = { id: inputId, kind: 'wait', label: 'Waited for a reply', isOk: true, facts: [] } as const;
    return { ...span, startMs, tookMs: end - startMs, details: null, phaseIndex: null };
  });
  const knownSpans = [...workSpans, ...waits];
  const allSpans = [...knownSpans, ...lostSpans(trace, knownSpans)].sort((a, b) => a.startMs - b.startMs);
  // A span may begin before the turn, because gateway and worker may have different clocks.
  const first = Math.min(Date.parse(startedAt), ...allSpans.map(({ startMs }) => startMs));
  return allSpans.map(({ attempt: _attempt, phaseIndex: _phase, ...span }) => ({
    ...span,
    startMs: span.startMs - first,
  }));
};

/**
 * Returns the milliseconds from the beginning of a turn to its end, or to the end of its last span if that is later.
 * Returns at least 1.
 */
export const timelineMsOf = (
  { startedAt, endedAt }: { readonly startedAt: string; readonly endedAt: string | null },
  spans: readonly TurnSpan[],
): number => {
  const tookMs = endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
  return Math.max(1, tookMs, ...spans.map((span) => span.startMs + span.tookMs));
};

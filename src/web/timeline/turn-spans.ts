/** The parts of a turn's time, from its trace (docs/storage.md "Traces"). Pure. */
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { type Fields, fieldsOf } from '../../contracts/values/json-value.ts';
import { costWords } from '../parts/cost-words.ts';
import { countWords } from '../parts/count-words.ts';
import { durationWords } from '../turn/call-words.ts';

/** A piece of a turn's time. Milliseconds; `beganMs` counts from the first of all. */
export interface TurnSpan {
  readonly id: string;
  readonly kind: 'model' | 'tool' | 'attempt' | 'wait';
  readonly label: string;
  readonly beganMs: number;
  readonly tookMs: number;
  /** Of a model call: after so long it said its first word. */
  readonly firstTextMs?: number | undefined;
  /** The number of the model call in its turn; absent: it is none. */
  readonly step?: number | undefined;
  readonly isOk: boolean;
  /** A few facts besides: tokens, the first word, why it failed. */
  readonly facts: readonly string[];
  /** All that the trace has of it. */
  readonly details: unknown;
}

/** A request that somebody has replied to, with the time of that, ISO 8601. */
export interface RepliedInput {
  readonly inputId: string;
  readonly at: string;
}

const numberIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/**
 * The spans of a turn in the order in which they began. Model calls, tools and failed attempts say how long they took;
 * a wait begins where what was before it ended.
 */
export const spansOf = (
  trace: readonly TraceEvent[],
  replies: readonly RepliedInput[],
): readonly TurnSpan[] => {
  const worked = trace.flatMap(spanOf);
  const ends = worked.map((span) => span.beganMs + span.tookMs);
  const waits = replies.map(({ inputId, at }): TurnSpan => {
    const end = Date.parse(at);
    const began = Math.max(...ends.filter((each) => each <= end), Number.NEGATIVE_INFINITY);
    const beganMs = Number.isFinite(began) ? began : end;
    const span = { id: inputId, kind: 'wait', label: 'Waited for a reply', isOk: true, facts: [] } as const;
    return { ...span, beganMs, tookMs: end - beganMs, details: null };
  });
  const all = [...worked, ...waits].sort((a, b) => a.beganMs - b.beganMs);
  const first = all[0]?.beganMs ?? 0;
  return all.map((span) => ({ ...span, beganMs: span.beganMs - first }));
};

const spanOf = (event: TraceEvent): readonly TurnSpan[] => {
  const details = fieldsOf(event.details);
  const tookMs = numberIn(details, 'durationMs');
  if (tookMs === undefined) return [];
  const shared = {
    id: event.id,
    tookMs,
    beganMs: Date.parse(event.createdAt) - tookMs,
    isOk: event.error === null,
    details: event.details,
  };
  switch (event.type) {
    case 'llm_result':
      return [
        {
          ...shared,
          kind: 'model',
          label: 'Model call',
          firstTextMs: numberIn(details, 'firstTextMs'),
          step: numberIn(details, 'step'),
          facts: modelFacts(details),
        },
      ];
    case 'tool_result':
      return [{ ...shared, kind: 'tool', label: toolName(details, event), facts: errorFacts(event) }];
    case 'system_error':
      return [
        {
          ...shared,
          kind: 'attempt',
          label: 'Model call that failed',
          step: numberIn(details, 'step'),
          facts: errorFacts(event),
        },
      ];
    default:
      return [];
  }
};

const toolName = ({ toolName: name }: Fields, { summary }: TraceEvent): string =>
  typeof name === 'string' ? name : summary;

const errorFacts = ({ error }: TraceEvent): readonly string[] => (error === null ? [] : [error]);

const modelFacts = (details: Fields): readonly string[] => {
  const usage = fieldsOf(details['usage']);
  const attempt = numberIn(details, 'attempt') ?? 1;
  const read = numberIn(usage, 'promptTokens');
  const told: readonly (readonly [number | undefined, (value: number) => string])[] = [
    [attempt > 1 ? attempt : undefined, (which) => `attempt ${which}`],
    [numberIn(details, 'firstTextMs'), (ms) => `first word after ${durationWords(ms)}`],
    [read, (tokens) => `${countWords(tokens)} tokens read`],
    [numberIn(usage, 'cachedTokens'), (tokens) => cachedWords(tokens, read)],
    [numberIn(usage, 'completionTokens'), (tokens) => `${countWords(tokens)} written`],
    [numberIn(usage, 'reasoningTokens'), (tokens) => `${countWords(tokens)} of them reasoning`],
    [numberIn(details, 'cost'), (cost) => `cost ${costWords(cost)}`],
  ];
  return told.flatMap(([value, words]) => (value === undefined ? [] : [words(value)]));
};

const cachedWords = (tokens: number, read = 0): string =>
  read > 0 ? `${Math.round((tokens / read) * 100)} % from a cache` : `${countWords(tokens)} from a cache`;

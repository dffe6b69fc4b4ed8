/** What a turn spent its time on, from its trace (docs/storage.md "Traces"). Pure. */
import type { TraceEvent } from '../../contracts/http/trace-api.ts';

/** A piece of a turn's time. Milliseconds; `beganMs` counts from the first of all. */
export interface TurnSpan {
  readonly id: string;
  readonly kind: 'model' | 'tool' | 'attempt' | 'wait';
  readonly label: string;
  readonly beganMs: number;
  readonly tookMs: number;
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

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
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
      return [{ ...shared, kind: 'model', label: 'Model call', facts: modelFacts(details) }];
    case 'tool_result':
      return [{ ...shared, kind: 'tool', label: toolName(details, event), facts: errorFacts(event) }];
    case 'system_error':
      return [{ ...shared, kind: 'attempt', label: 'Model call that failed', facts: errorFacts(event) }];
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
  const told: readonly (readonly [number | undefined, (value: number) => string])[] = [
    [numberIn(details, 'firstTextMs'), (ms) => `first word after ${ms} ms`],
    [numberIn(usage, 'promptTokens'), (tokens) => `${tokens} tokens read`],
    [numberIn(usage, 'cachedTokens'), (tokens) => `${tokens} of them cached`],
    [numberIn(usage, 'completionTokens'), (tokens) => `${tokens} written`],
    [numberIn(usage, 'reasoningTokens'), (tokens) => `${tokens} of them reasoning`],
  ];
  const facts = told.flatMap(([value, words]) => (value === undefined ? [] : [words(value)]));
  return attempt > 1 ? [`attempt ${attempt}`, ...facts] : facts;
};

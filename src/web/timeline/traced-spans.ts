/* The pieces of the time of a turn that its trace records (docs/storage.md "Traces"). All functions here are pure. */
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { type Fields, fieldsOf } from '../../contracts/values/unchecked-value.ts';
import { costWords } from '../wording/cost-words.ts';
import { numberWords, durationWords } from '../wording/number-words.ts';
import {
  knownPromptTokens,
  knownCompletionTokens,
  promptTokensHedge,
  completionTokensHedge,
} from '../wording/token-words.ts';

/**
 * A piece of the time of a turn. `startMs` is counted from the beginning of the turn, or of its first span if that is
 * earlier. `tookMs` is the duration. Both are in milliseconds.
 */
export interface TurnSpan {
  readonly id: string;
  /** `attempt` is an attempt of a model call that failed, `lost` an attempt whose worker died. */
  readonly kind: 'model' | 'tool' | 'attempt' | 'lost' | 'wait';
  readonly label: string;
  readonly startMs: number;
  readonly tookMs: number;
  /** Milliseconds from the beginning of a model call to its first word. */
  readonly firstTextMs?: number | undefined;
  /** The number of the model call in its turn, from 1. Present only for model calls and their failed attempts. */
  readonly step?: number | undefined;
  /**
   * The model that answered this model call, or was tried last. Absent for other spans, and if the trace does not name
   * it.
   */
  readonly model?: string | undefined;
  readonly isOk: boolean;
  /** Facts in words, such as tokens, the time of the first word, or why the call failed. */
  readonly facts: readonly string[];
  /** Everything that the trace has about the span. Null if there is nothing. */
  readonly details: unknown;
}

/** A span of which `startMs` is still in milliseconds since 1970. */
export interface TracedSpan extends TurnSpan {
  /** The number of an attempt within its model call, from 1. Lost attempts are counted, too. */
  readonly attempt?: number | undefined;
  /** The index of the phase that the span belongs to. Null if it belongs to none. */
  readonly phaseIndex: number | null;
}

/** Returns the number in a field of a trace, or undefined if the field has none. */
export const numberField = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/**
 * Returns the model that answered each step, or was tried last, by step number. A model that took over is tried after
 * the first.
 */
export const modelsOfSteps = (trace: readonly TraceEvent[]): ReadonlyMap<number, string> =>
  new Map(
    trace
      .filter(({ type }) => type === 'llm_call')
      .map(({ details }) => fieldsOf(details))
      .flatMap((details) => {
        const [step, { model }] = [numberField(details, 'step'), details];
        return step === undefined || typeof model !== 'string' ? [] : [[step, model] as const];
      }),
  );

/**
 * Returns the span of a model call, a tool or a failed attempt, and none for any other event, or if the event does not
 * say how long it took. `models` are the models of the steps, by step number.
 */
export const spansOfEvent = (
  event: TraceEvent,
  models: ReadonlyMap<number, string>,
): readonly TracedSpan[] => {
  const details = fieldsOf(event.details);
  const tookMs = numberField(details, 'durationMs');
  if (tookMs === undefined) return [];
  const startMs = Date.parse(event.createdAt) - tookMs;
  const { id, error, phaseIndex } = event;
  const shared = { id, startMs, tookMs, isOk: error === null, details: event.details, phaseIndex };
  const attemptFields = { step: numberField(details, 'step'), attempt: numberField(details, 'attempt') ?? 1 };
  const facts = error === null ? [] : [error];
  switch (event.type) {
    case 'llm_result':
      return [{ ...shared, ...attemptFields, ...modelCall(details, models.get(attemptFields.step ?? 0)) }];
    case 'tool_result':
      return [{ ...shared, kind: 'tool', label: toolName(details, event), facts }];
    case 'system_error':
      return [{ ...shared, ...attemptFields, kind: 'attempt', label: 'Model call that failed', facts }];
    default:
      return [];
  }
};

const modelCall = (details: Fields, model: string | undefined) =>
  ({
    kind: 'model',
    label: 'Model call',
    model,
    firstTextMs: numberField(details, 'firstTextMs'),
    facts: [...(model === undefined ? [] : [model]), ...modelFacts(details)],
  }) as const;

const toolName = ({ toolName: name }: Fields, { summary }: TraceEvent): string =>
  typeof name === 'string' ? name : summary;

const modelFacts = (details: Fields): readonly string[] => {
  const usage = fieldsOf(details['usage']);
  const counted = {
    promptTokens: numberField(usage, 'promptTokens'),
    completionTokens: numberField(usage, 'completionTokens'),
    estimated: usage['estimated'] === true,
  };
  const attempt = numberField(details, 'attempt') ?? 1;
  const promptTokens = knownPromptTokens(counted);
  const measures: readonly (readonly [number | undefined, (value: number) => string])[] = [
    [attempt > 1 ? attempt : undefined, (which) => `attempt ${which}`],
    [numberField(details, 'firstTextMs'), (ms) => `first word after ${durationWords(ms)}`],
    [promptTokens, (tokens) => `${promptTokensHedge(counted)}${numberWords(tokens)} tokens read`],
    [numberField(usage, 'cachedTokens'), (tokens) => cachedWords(tokens, promptTokens)],
    [
      knownCompletionTokens(counted),
      (tokens) => `${completionTokensHedge(counted)}${numberWords(tokens)} written`,
    ],
    [numberField(usage, 'reasoningTokens'), (tokens) => `${numberWords(tokens)} of them reasoning`],
    [numberField(details, 'cost'), (cost) => `cost ${costWords(cost)}`],
  ];
  return measures.flatMap(([value, words]) => (value === undefined ? [] : [words(value)]));
};

const cachedWords = (tokens: number, promptTokens = 0): string =>
  promptTokens > 0
    ? `${Math.round((tokens / promptTokens) * 100)} % from a cache`
    : `${numberWords(tokens)} from a cache`;

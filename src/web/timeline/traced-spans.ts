/* The parts of a turn's time that its trace tells of (docs/storage.md "Traces"). All functions here are pure. */
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { type Fields, fieldsOf } from '../../contracts/values/record.ts';
import { costWords } from '../wording/cost-words.ts';
import { countWords } from '../wording/count-words.ts';
import { knownPromptTokens, knownCompletionTokens, readHedge, writtenHedge } from '../wording/token-words.ts';
import { durationWords } from '../turn/call-words.ts';

/** A piece of a turn's time. Milliseconds; `startMs` counts from the beginning of the turn. */
export interface TurnSpan {
  readonly id: string;
  /** `lost` is an attempt whose worker died, `attempt` one that its provider has refused. */
  readonly kind: 'model' | 'tool' | 'attempt' | 'lost' | 'wait';
  readonly label: string;
  readonly startMs: number;
  readonly tookMs: number;
  /** The milliseconds after which a model call said its first word. */
  readonly firstTextMs?: number | undefined;
  /** The number of the model call in its turn. Absent if it is none. */
  readonly step?: number | undefined;
  /** The model that gave the answer of a model call that has ended, where the trace tells. */
  readonly model?: string | undefined;
  readonly isOk: boolean;
  /** A few facts besides: tokens, the first word, why it failed. */
  readonly facts: readonly string[];
  /** All that the trace has of it. */
  readonly details: unknown;
}

/** A span as it is traced. `startMs` is in milliseconds since the epoch. */
export interface TracedSpan extends TurnSpan {
  /** The number of an attempt at a model call within its step, from 1, counting those that were lost. */
  readonly attempt?: number | undefined;
  /** The phase that it belongs to. Null if it belongs to none. */
  readonly phaseIndex: number | null;
}

/** Returns the number in a field of a trace, or undefined if there is none. */
export const numberField = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/**
 * Returns the model that each step has asked last, by the step's number: a model that took over comes after the first.
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

/** Returns the span of an event that says how long it took, and nothing for any other event. `models` are by step. */
export const spanOf = (event: TraceEvent, models: ReadonlyMap<number, string>): readonly TracedSpan[] => {
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
  const read = knownPromptTokens(counted);
  const measures: readonly (readonly [number | undefined, (value: number) => string])[] = [
    [attempt > 1 ? attempt : undefined, (which) => `attempt ${which}`],
    [numberField(details, 'firstTextMs'), (ms) => `first word after ${durationWords(ms)}`],
    [read, (tokens) => `${readHedge(counted)}${countWords(tokens)} tokens read`],
    [numberField(usage, 'cachedTokens'), (tokens) => cachedWords(tokens, read)],
    [knownCompletionTokens(counted), (tokens) => `${writtenHedge(counted)}${countWords(tokens)} written`],
    [numberField(usage, 'reasoningTokens'), (tokens) => `${countWords(tokens)} of them reasoning`],
    [numberField(details, 'cost'), (cost) => `cost ${costWords(cost)}`],
  ];
  return measures.flatMap(([value, words]) => (value === undefined ? [] : [words(value)]));
};

const cachedWords = (tokens: number, read = 0): string =>
  read > 0 ? `${Math.round((tokens / read) * 100)} % from a cache` : `${countWords(tokens)} from a cache`;

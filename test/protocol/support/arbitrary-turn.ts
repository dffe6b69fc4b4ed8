import fc from 'fast-check';
import type { OptionalInputKind } from '../../../src/contracts/wire/input-events.ts';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { type ModelAnswer, ModelCallError, type ModelPort } from '../../../src/protocol/ports/model-port.ts';
import type { KeepOutcome } from '../../../src/protocol/ports/write-session-port.ts';
import { ModelStreamReader, type RawDelta } from '../../../src/protocol/stream/model-stream.ts';
import { modelAnswer } from './scripted-answers.ts';
import type { ScriptedReply } from './scripted-inputs.ts';
import { ScriptedSessions } from './scripted-sessions.ts';
import type { ModelScript, ToolScript } from '../../support/fake-ports.ts';
import type { StreamOptions } from '../../../src/contracts/model/stream-options.ts';
import type { AdapterEvent } from '../../../src/compat/llm-adapter.ts';

/** What a wild model may do in one call. */
export type Behaviour =
  | { readonly kind: 'events'; readonly events: readonly AdapterEvent[] }
  | { readonly kind: 'stream'; readonly deltas: readonly RawDelta[] }
  | { readonly kind: 'endless'; readonly event: AdapterEvent }
  | { readonly kind: 'broken'; readonly events: readonly AdapterEvent[] };

const NAMES = [
  'Files_read',
  'Files_write',
  'Mail_send',
  'Job_status',
  'User_ask',
  'app_click',
  'Nobody_knows',
  'WritePlanTool_begin',
];
const GOOD_ARGUMENTS = ['', '{}', '{"path":"a"}', '{"path":"./a"}', '{"path":"b"}'];
const ARGUMENTS = [...GOOD_ARGUMENTS, '{"path', 'null', '[1]', '"a"', '{} {}'];

const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...NAMES) }, fc.constantFrom('', ' '));
const call: fc.Arbitrary<ToolCall> = fc
  .record({ id: fc.constantFrom('i', 'j', ''), name, text: fc.constantFrom(...ARGUMENTS) })
  .map(({ id, name: called, text }) => ({
    id,
    type: 'function',
    function: { name: called, arguments: text },
  }));
const strange = fc.constantFrom(
  null,
  {},
  { function: null },
  { function: { name: 7 } },
) as fc.Arbitrary<never>;
const calls = fc.array(fc.oneof({ weight: 9, arbitrary: call }, strange), { maxLength: 3 });
const text = fc.constantFrom('', 'a', 'Hello.', 'line\n', '\n', '😀', 'x'.repeat(50), 'DONE\n', '\nDONE');

const event: fc.Arbitrary<AdapterEvent> = fc.oneof(
  text.map((content) => ({ type: 'chunk' as const, content })),
  calls.map((list) => ({ type: 'tool_calls' as const, calls: list })),
);
const done: fc.Arbitrary<AdapterEvent> = fc.record({
  type: fc.constant('done' as const),
  /** The text is empty, or may be more than the chunks were, or most likely contradicts them. */
  fullContent: fc.constantFrom('', 'Hello. And more.', 'not to be trusted'),
  finishReason: fc.constantFrom(
    ...(['stop', 'tool_calls', 'length', 'content_filter', 'time', 'tokens', 'repetition'] as const),
  ),
});

const delta: fc.Arbitrary<RawDelta> = fc.oneof(
  text.map((content) => ({ type: 'text' as const, text: content })),
  fc.record({
    type: fc.constant('call' as const),
    index: fc.nat(1),
    id: fc.constantFrom('', 'i', 'j'),
    name: fc.constantFrom('', ...NAMES),
    arguments: fc.constantFrom(
      '',
      ...ARGUMENTS.flatMap((whole) => [whole, whole.slice(0, 4), whole.slice(4)]),
    ),
  }),
);
const finish = fc.constantFrom<RawDelta>(
  { type: 'finish', reason: 'stop' },
  { type: 'finish', reason: 'length' },
  { type: 'end' },
);

/** The most interesting turns consist of plain calls that are repeated, now and then in the same answer. */
const plainCall = fc
  .record({
    called: fc.constantFrom(...NAMES),
    text: fc.constantFrom(...GOOD_ARGUMENTS),
    ids: fc.oneof({ weight: 9, arbitrary: fc.constant(['i']) }, fc.constant(['i', 'j'])),
  })
  .map(({ called, text: args, ids }): Behaviour => ({
    kind: 'events',
    events: [
      {
        type: 'tool_calls',
        calls: ids.map((id) => ({ id, type: 'function', function: { name: called, arguments: args } })),
      },
      { type: 'done', fullContent: '' },
    ],
  }));

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  { weight: 40, arbitrary: plainCall },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(event, { maxLength: 5 }), fc.option(done, { nil: undefined }))
      .map(([events, last]) => ({ kind: 'events' as const, events: last ? [...events, last] : events })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(delta, { maxLength: 8 }), finish)
      .map(([deltas, last]) => ({ kind: 'stream' as const, deltas: [...deltas, last] })),
  },
  { weight: 1, arbitrary: event.map((repeated) => ({ kind: 'endless' as const, event: repeated })) },
  {
    weight: 1,
    arbitrary: fc.array(event, { maxLength: 2 }).map((events) => ({ kind: 'broken' as const, events })),
  },
);

/** One call that begins a file, and one that writes it to its end. */
const wholeFile: readonly Behaviour[] = [
  {
    kind: 'events',
    events: [
      {
        type: 'tool_calls',
        calls: [{ id: 'i', type: 'function', function: { name: 'WritePlanTool_begin', arguments: '{}' } }],
      },
      { type: 'done', fullContent: '' },
    ],
  },
  {
    kind: 'events',
    events: [
      { type: 'chunk', content: 'text\nDONE\n' },
      { type: 'done', fullContent: '' },
    ],
  },
];

/** What a wild model does in the calls of a turn. */
const behavioursOfTurn = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: behaviour.map((one) => [one]) },
      { weight: 1, arbitrary: fc.constant(wholeFile) },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.flat());

/** The result of a call that begins a write session. */
const BEGUN = { success: true, result: { session_id: 's', target_file: 'f' } };

/** What a wild tool may do in one execution. */
const execution = fc.oneof(
  fc.constantFrom(
    { success: true, result: 'same' },
    { success: true, result: 'x'.repeat(4_000) },
    { success: false, error: 'not found' },
    { success: false, error: 'HTTP 503', retryable: true },
    { success: false, error: 'OUTCOME_UNKNOWN' },
    { success: true },
    BEGUN,
    BEGUN,
  ),
  fc.nat(3).map((n) => ({ success: true, result: { n } })),
  fc.constant('throws' as const),
);

/** The outcome of keeping a session's content, which most often is the one that was asked for. */
const keeping = fc.constantFrom<KeepOutcome | undefined>(
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  { kind: 'kept' },
  { kind: 'failed', code: 'write_failed', reason: 'no space' },
  { kind: 'failed', code: 'validation_failed', reason: 'refused' },
);

const budgets = fc.record({
  maxPhaseCycles: fc.oneof(fc.nat(3), fc.integer({ min: 4, max: 20 })),
  maxDuplicateAttempts: fc.integer({ min: 1, max: 4 }),
  maxMalformedCalls: fc.integer({ min: 1, max: 4 }),
  maxRefusals: fc.integer({ min: 1, max: 4 }),
  maxNoProgress: fc.integer({ min: 1, max: 12 }),
  maxTurnTokens: fc.constantFrom(30, 300, 300, 300),
  maxTurnMs: fc.constantFrom(10, 100_000, 100_000, 100_000),
  debugShowToolResults: fc.boolean(),
});

const reply = fc.constantFrom<ScriptedReply>(
  'allow',
  'allow',
  'allow',
  'allow',
  'allow_turn',
  'deny',
  'expiry',
  'failed',
  'lost',
  { edit: '{"path":"b"}' },
  { edit: '{"path":"c"}' },
  { edit: '{' },
);

const ALL_KINDS: readonly OptionalInputKind[] = ['question', 'limit', 'client_tool'];

/** In half of the turns nobody is asked. */
const people = fc.option(
  fc.record({
    policy: fc.record({
      rules: fc.array(
        fc.record({
          tool: fc.constantFrom('Files_*', 'Mail_send', '**'),
          mode: fc.constantFrom('allow', 'ask', 'deny'),
        }),
        { maxLength: 1 },
      ),
      setting: fc.constantFrom('never', 'writes', 'all'),
    }),
    replies: fc.array(reply, { minLength: 1, maxLength: 5 }),
    accepted: fc.constantFrom<readonly OptionalInputKind[]>([], ['limit'], ALL_KINDS, ALL_KINDS, ALL_KINDS),
  }),
  { nil: undefined, freq: 2 },
);

/** Everything about a turn that is chosen at random. */
export const arbitraryTurn = fc.record({
  budgets,
  mode: fc.constantFrom('act', 'act', 'plan'),
  toolResultRole: fc.constantFrom('tool' as const, 'system' as const),
  behaviours: behavioursOfTurn,
  executions: fc.array(execution, { minLength: 1, maxLength: 6 }),
  keepings: fc.array(keeping, { minLength: 1, maxLength: 4 }),
  people,
  /** The index of the model call after which the user cancels; in most turns undefined, for never. */
  cancelAfter: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.nat(6) },
  ),
});

const nth = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** Returns the model of an arbitrary turn, which goes through `behaviours` and then begins again. */
export const modelOf =
  (behaviours: readonly Behaviour[], onEvent: () => void): ModelScript =>
  (n, _messages, options) => {
    const chosen = nth(behaviours, n - 1);
    return (function* () {
      for (const one of eventsOf(chosen, new ModelStreamReader(options))) {
        onEvent();
        yield one;
      }
    })();
  };

const eventsOf = function* (chosen: Behaviour, reader: ModelStreamReader): Generator<AdapterEvent> {
  switch (chosen.kind) {
    case 'events':
      yield* chosen.events;
      return;
    case 'endless':
      for (;;) yield chosen.event;
    case 'broken':
      yield* chosen.events;
      throw new Error('the stream broke');
    case 'stream':
      for (const raw of chosen.deltas) {
        const { chunks, haveCallsChanged, shouldStop } = reader.feed(raw);
        yield* chunks;
        if (haveCallsChanged) yield { type: 'tool_calls', calls: reader.calls() };
        if (shouldStop) break;
      }
      yield reader.end();
      return;
    default:
      chosen satisfies never;
  }
};

/**
 * Yields the part of a behaviour that a provider could send as well: calls are well formed, and a stream that breaks is
 * an error.
 */
const deltasOf = function* (chosen: Behaviour): Generator<RawDelta> {
  switch (chosen.kind) {
    case 'events':
    case 'broken':
      yield* chosen.events.flatMap(deltasOfEvent);
      return;
    case 'endless':
      for (;;) yield* deltasOfEvent(chosen.event);
    case 'stream':
      yield* chosen.deltas;
      return;
    default:
      chosen satisfies never;
  }
};

const deltasOfEvent = (one: AdapterEvent): RawDelta[] => {
  switch (one.type) {
    case 'chunk':
      return [{ type: 'text', text: one.content }];
    case 'tool_calls':
      return [{ type: 'calls', calls: one.calls.filter(isCall) }];
    case 'done':
      return [{ type: 'finish', reason: one.finishReason ?? 'stop' }, { type: 'end' }];
    default:
      return one satisfies never;
  }
};

/**
 * Reports whether a call has the form in which providers send calls. Other calls come only from adapters that merge
 * deltas by themselves.
 */
const isCall = (asked: Partial<ToolCall> | null): asked is ToolCall =>
  typeof asked?.function?.name === 'string' && typeof asked.function.arguments === 'string';

/**
 * The same model behind the port that workflows use: its stream is read and shown before the core has its answer.
 * `describeModelPort` checks it together with the port of the workflow.
 */
export class PortOfModel implements ModelPort {
  readonly calls: { readonly messages: readonly ModelMessage[]; readonly options: StreamOptions }[] = [];
  /** The texts that were shown, one for each answer. */
  readonly said: string[] = [];
  readonly #behaviours: readonly Behaviour[];
  /** Returns the present time and whether the user has cancelled; called before each part of a stream. */
  readonly #look: () => { readonly now: number; readonly isCancelled: boolean };

  constructor(
    behaviours: readonly Behaviour[],
    look: () => { readonly now: number; readonly isCancelled: boolean },
  ) {
    this.#behaviours = behaviours;
    this.#look = look;
  }

  async callModel(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer> {
    this.calls.push({ messages, options });
    const chosen = nth(this.#behaviours, this.calls.length - 1);
    const reader = new ModelStreamReader(options);
    let said = '';
    let cut: 'time' | 'cancelled' | undefined;
    for (const raw of deltasOf(chosen)) {
      const { now, isCancelled } = this.#look();
      cut = isCancelled ? 'cancelled' : now >= options.deadline ? 'time' : undefined;
      if (cut !== undefined) break;
      const { chunks, shouldStop } = reader.feed(raw);
      for (const { content } of chunks) said += content;
      if (shouldStop) break;
    }
    this.said.push(said);
    const { finishReason, usage } = reader.end(cut);
    const error = chosen.kind === 'broken' ? new ModelCallError('model_unavailable', 'broke') : undefined;
    const answer = modelAnswer({ text: said, calls: reader.calls(), usage, ...(error && { error }) });
    return error ? answer : { ...answer, end: finishReason };
  }
}

export const toolOf =
  (executions: readonly ('throws' | (Awaited<ReturnType<ToolScript>> & object))[]): ToolScript =>
  async ({ function: { name: called } }, n) => {
    const chosen = nth(executions, n - 1);
    if (chosen === 'throws') throw new Error('the tool broke');
    await Promise.resolve();
    const begins = called === 'WritePlanTool_begin' && chosen.success;
    return begins ? BEGUN : chosen;
  };

export const sessionsOf = (keepings: readonly (KeepOutcome | undefined)[]): ScriptedSessions =>
  new ScriptedSessions((n) => nth(keepings, n));

import fc from 'fast-check';
import type { AdapterEvent } from '../../../src/compat/llm-adapter.ts';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import type { RawDelta } from '../../../src/protocol/stream/raw-delta.ts';
import type { Behaviour } from './wild-model.ts';

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
export const behavioursOfTurn = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: behaviour.map((one) => [one]) },
      { weight: 1, arbitrary: fc.constant(wholeFile) },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.flat());

/** Checks frames with an SSE parser that is not ours, whatever the texts and wherever the bytes are cut. */
import { describe, expect, it } from '@jest/globals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { createCompatibleEncoder, createNativeEncoder } from '../../../src/gateway/streams/turn-encoders.ts';
import { formatEventId } from '../../../src/contracts/wire/event-id.ts';
import { usage } from '../support/gateway-world.ts';

/** Texts full of characters that mean something in SSE or JSON. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\r', '\n', '\r\n', '\u2028', '\u2029', '\0', 'data: ', ':', '"', '\\', '\ud800', '🚀'),
      fc.string(),
    ),
  )
  .map((parts) => parts.join(''));
const eventId = fc.record({ epoch: fc.nat(999_999), seq: fc.integer({ min: 1, max: 999_999 }) });
const call = fc.record({
  id: hostileText,
  type: fc.constant('function' as const),
  function: fc.record({ name: hostileText, arguments: hostileText }),
});
const turnEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.record({ type: fc.constant('chunk' as const), content: hostileText }),
  fc.record({ type: fc.constant('tool_calls' as const), calls: fc.array(call) }),
  fc.record({ type: fc.constant('reset' as const), fromSeq: fc.integer({ min: 1 }) }),
  fc.record({
    type: fc.constant('error' as const),
    code: fc.constantFrom('model_auth' as const, 'internal_error' as const),
    message: hostileText,
  }),
);

/** Returns what a client reads when the text arrives in pieces of `size` characters. */
const parse = (text: string, size: number): EventSourceMessage[] => {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
  return messages;
};

describe.each([
  ['native', createNativeEncoder],
  ['compatible', createCompatibleEncoder],
])('%s frames', (name, createEncoder) => {
  it('come back as one message each, with id and data, never named error', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(eventId, turnEvent)), fc.integer({ min: 1, max: 50 }), (events, size) => {
        const encoder = createEncoder('r1');
        const text = events.map(([id, event]) => encoder.encode(id, event)).join('');
        const messages = parse(text, size);
        expect(messages.map(({ id }) => id)).toEqual(events.map(([id]) => formatEventId(id)));
        for (const [index, [, event]] of events.entries()) {
          const message = messages[index];
          const data = JSON.parse(message?.data ?? '') as Record<string, unknown>;
          expect(message?.event).not.toBe('error');
          if (name === 'native') expect(data).toEqual(event);
          else expect(data).toMatchObject({ type: event.type, requestId: 'r1' });
          if (name === 'compatible' && event.type === 'chunk') expect(data['chunk']).toBe(event.content);
        }
      }),
    );
  });
});

it('output has no id in either form, so that no client resumes after it', () => {
  const output = { type: 'tool_output', callId: 'c', stream: 'stderr', content: 'a\nb' } as const;
  const [native] = parse(createNativeEncoder('r1').encode(null, output), 3);
  expect(native).toMatchObject({ event: 'tool_output', data: JSON.stringify(output) });
  const [compatible] = parse(createCompatibleEncoder('r1').encode(null, output), 3);
  expect(compatible?.event).toBeUndefined();
  expect(JSON.parse(compatible?.data ?? '')).toEqual({
    type: 'tool_output',
    requestId: 'r1',
    tool_output: { callId: 'c', stream: 'stderr', content: 'a\nb' },
  });
  expect([native?.id, compatible?.id]).toEqual([undefined, undefined]);
});

describe('compatible frames, one by one', () => {
  const encoder = createCompatibleEncoder('r1');
  const toolResult = { callId: 'c', name: 'read_file', ok: true, durationMs: 3, bytes: 9 };
  const requested = {
    inputId: 'r1/1',
    kind: 'approval' as const,
    message: 'May it?',
    options: ['allow' as const, 'deny' as const],
    default: 'deny' as const,
    expiresAt: '2026-01-06T09:00:00.000Z',
  };
  const by = { kind: 'local' as const };
  const at = '2026-01-05T09:00:00.000Z';
  const resolved = { inputId: 'r1/1', reply: 'deny' as const, by, at, note: 'no' };
  const steer = { messageId: 'm', content: 'shorter', by, at, interrupted: false };
  const session = { sessionId: 's', stage: 'begun' as const, target: 'a', bytes: 0, lines: 0, sha256: '' };

  it.each<[TurnEvent, object]>([
    [{ type: 'chunk', content: 'a' }, { chunk: 'a' }],
    [
      { type: 'chunk', content: 'a', notice: 'duplicate' },
      { chunk: 'a', notice: 'duplicate' },
    ],
    [{ type: 'tool_calls', calls: [] }, { tool_calls: [] }],
    [
      { type: 'phase', phase: 'action', index: 2, cycle: 1 },
      { phase: 'action_phase', phaseIndex: 2, cycleIndex: 1 },
    ],
    [
      { type: 'phase', phase: 'tool', index: 3, cycle: 1 },
      { phase: 'tool_phase', phaseIndex: 3, cycleIndex: 1 },
    ],
    [{ type: 'tool_result', ...toolResult }, { tool_result: toolResult }],
    [{ type: 'write_session', ...session }, { write_session: session }],
    [{ type: 'input_requested', ...requested }, { input_requested: requested }],
    [{ type: 'input_resolved', ...resolved }, { input_resolved: resolved }],
    [{ type: 'steer', ...steer }, { steer }],
    [{ type: 'reset', fromSeq: 4 }, { reset: { fromSeq: 4 } }],
    [
      { type: 'done', fullContent: 'a', status: 'completed', reason: 'answered', usage },
      { done: true, fullContent: 'a', phase: 'complete', status: 'completed', reason: 'answered', usage },
    ],
    [
      { type: 'error', code: 'model_auth', message: 'no key' },
      { error: 'no key', code: 'model_auth' },
    ],
  ])('%j', (event, fields) => {
    const [message] = parse(encoder.encode({ epoch: 1, seq: 2 }, event), 100);
    expect(message).toMatchObject({ id: '1-2', event: undefined });
    expect(JSON.parse(message?.data ?? '')).toEqual({ ...fields, type: event.type, requestId: 'r1' });
  });
});

/** Covers what becomes of a message into a turn, whatever others say and in whatever order. */
import { describe, expect, it } from '@jest/globals';
import {
  type AcceptedSteer,
  MAX_STEER_BYTES,
  MAX_STEERS_OF_TURN,
  steerRequestSchema,
} from '../../../src/contracts/inputs/steering.ts';
import { SteerQueue } from '../../../src/protocol/inputs/steer-queue.ts';

const steer = (messageId: string, fields: Partial<AcceptedSteer> = {}): AcceptedSteer => ({
  messageId,
  content: `say ${messageId}`,
  when: 'boundary',
  by: { kind: 'local' },
  at: '2026-01-05T09:00:00.000Z',
  ...fields,
});

const accepted = (...steers: AcceptedSteer[]): SteerQueue => {
  const queue = new SteerQueue();
  for (const one of steers) queue.accept(one);
  return queue;
};

describe('SteerQueue', () => {
  it('hands over waiting messages once, in the order in which they came', () => {
    const queue = accepted(steer('a'), steer('b'));
    expect(queue.take().map(({ messageId }) => messageId)).toEqual(['a', 'b']);
    expect(queue.take()).toEqual([]);
  });

  it('gives a repeated message the same answer, even after it was taken or the turn has ended', () => {
    const queue = accepted(steer('a'));
    expect(queue.judge(steer('a'))).toEqual({ kind: 'same' });
    queue.take();
    queue.conclude();
    expect(queue.judge(steer('a'))).toEqual({ kind: 'same' });
    expect(queue.judge(steer('a', { content: 'other' }))).toMatchObject({ code: 'idempotency_conflict' });
  });

  it('ends only when no message waits, and refuses messages that come later', () => {
    const queue = accepted(steer('a'));
    expect(queue.conclude()).toBe(false);
    expect(queue.judge(steer('b'))).toEqual({ kind: 'counts' });
    queue.take();
    expect(queue.conclude()).toBe(true);
    expect(queue.judge(steer('b'))).toMatchObject({ kind: 'refused', code: 'turn_ended' });
  });

  it('hands back unread messages when the turn ends without reading them', () => {
    const queue = accepted(steer('a'));
    queue.take();
    queue.accept(steer('b'));
    expect(queue.close()).toEqual([steer('b')]);
    expect(queue.judge(steer('c'))).toMatchObject({ code: 'turn_ended' });
  });

  it('asks for an interrupt while a message with `when: "now"` is waiting', () => {
    const queue = accepted(steer('a'));
    expect(queue.hasInterrupt).toBe(false);
    queue.accept(steer('b', { when: 'now' }));
    expect(queue.hasInterrupt).toBe(true);
    queue.take();
    expect(queue.hasInterrupt).toBe(false);
  });

  it('asks for an interrupt for a message that is sent again as urgent, unless it was taken', () => {
    const queue = accepted(steer('a'));
    queue.markInterrupting('a');
    expect(queue.take()).toEqual([steer('a', { when: 'now' })]);
    queue.markInterrupting('a');
    expect(queue.hasInterrupt).toBe(false);
  });

  it('takes a bounded number of messages and of UTF-8 bytes', () => {
    const many = accepted(...Array.from({ length: MAX_STEERS_OF_TURN }, (_, i) => steer(`m${i}`)));
    many.take();
    expect(many.judge(steer('one more'))).toMatchObject({ code: 'too_many_messages' });
    const long = 'ä'.repeat(MAX_STEER_BYTES / 2);
    const heavy = accepted(steer('a', { content: long }), steer('b', { content: long }));
    expect(heavy.judge(steer('c', { content: 'x' }))).toMatchObject({ code: 'too_many_messages' });
    expect(heavy.judge(steer('a', { content: long }))).toEqual({ kind: 'same' });
  });

  it.each([
    ['content of the most bytes', { messageId: 'a', content: 'x'.repeat(MAX_STEER_BYTES) }, true],
    ['content of one byte more', { messageId: 'a', content: 'x'.repeat(MAX_STEER_BYTES + 1) }, false],
    [
      'content of too many bytes in fewer characters',
      { messageId: 'a', content: 'ä'.repeat(MAX_STEER_BYTES / 2 + 1) },
      false,
    ],
    ['content of white space', { messageId: 'a', content: ' \n' }, false],
    ['an id that is no id', { messageId: '..', content: 'x' }, false],
    ['an unknown field', { messageId: 'a', content: 'x', when: 'later' }, false],
    ['no id', { content: 'x' }, false],
  ])('whether a request with %s fits', (_name, request, fits) => {
    expect(steerRequestSchema.safeParse(request).success).toBe(fits);
  });
});

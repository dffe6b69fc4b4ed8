/** Covers what becomes of a message into a turn, whatever others say and in whatever order. */
import { describe, expect, it } from '@jest/globals';
import {
  type AcceptedSteer,
  MAX_STEER_BYTES,
  MAX_STEERS_OF_TURN,
  steerRequestSchema,
} from '../../../src/contracts/inputs/steering.ts';
import { SteerDesk } from '../../../src/protocol/inputs/steer-desk.ts';

const steer = (messageId: string, fields: Partial<AcceptedSteer> = {}): AcceptedSteer => ({
  messageId,
  content: `say ${messageId}`,
  when: 'boundary',
  by: { kind: 'local' },
  at: '2026-01-05T09:00:00.000Z',
  ...fields,
});

const accepted = (...steers: AcceptedSteer[]): SteerDesk => {
  const desk = new SteerDesk();
  for (const one of steers) desk.accept(one);
  return desk;
};

describe('SteerDesk', () => {
  it('hands over waiting messages once, in the order in which they came', () => {
    const desk = accepted(steer('a'), steer('b'));
    expect(desk.take().map(({ messageId }) => messageId)).toEqual(['a', 'b']);
    expect(desk.take()).toEqual([]);
  });

  it('gives a repeated message the same answer, even after it was taken or the turn has ended', () => {
    const desk = accepted(steer('a'));
    expect(desk.judge(steer('a'))).toEqual({ kind: 'same' });
    desk.take();
    desk.conclude();
    expect(desk.judge(steer('a'))).toEqual({ kind: 'same' });
    expect(desk.judge(steer('a', { content: 'other' }))).toMatchObject({ code: 'idempotency_conflict' });
  });

  it('ends only when no message waits, and refuses messages that come later', () => {
    const desk = accepted(steer('a'));
    expect(desk.conclude()).toBe(false);
    expect(desk.judge(steer('b'))).toEqual({ kind: 'counts' });
    desk.take();
    expect(desk.conclude()).toBe(true);
    expect(desk.judge(steer('b'))).toMatchObject({ kind: 'refused', code: 'turn_ended' });
  });

  it('hands back unread messages when the turn ends without reading them', () => {
    const desk = accepted(steer('a'));
    desk.take();
    desk.accept(steer('b'));
    expect(desk.close()).toEqual([steer('b')]);
    expect(desk.judge(steer('c'))).toMatchObject({ code: 'turn_ended' });
  });

  it('asks for an interrupt while a message with `when: "now"` is waiting', () => {
    const desk = accepted(steer('a'));
    expect(desk.hasInterrupt).toBe(false);
    desk.accept(steer('b', { when: 'now' }));
    expect(desk.hasInterrupt).toBe(true);
    desk.take();
    expect(desk.hasInterrupt).toBe(false);
  });

  it('asks for an interrupt for a message that is sent again as urgent, unless it was taken', () => {
    const desk = accepted(steer('a'));
    desk.markUrgent('a');
    expect(desk.take()).toEqual([steer('a', { when: 'now' })]);
    desk.markUrgent('a');
    expect(desk.hasInterrupt).toBe(false);
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

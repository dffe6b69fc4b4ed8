/** Tests messages into a turn whose answers are lost: they are sent again with the same id. */
import { expect, it } from '@jest/globals';
import { type SendSteer, TerminalSteering } from '../../../src/cli/turn/terminal-steering.ts';
import { settled } from '../../support/manual-clock.ts';

type Sent = Parameters<SendSteer>[0];

const steering = (...answers: readonly Awaited<ReturnType<SendSteer>>[]) => {
  const left = [...answers];
  const sent: Sent[] = [];
  const ends: string[] = [];
  const steers = new TerminalSteering(
    (message) => {
      sent.push(message);
      return Promise.resolve(left.shift() ?? 'accepted');
    },
    {
      sendNext: (text) => ends.push(`next ${text}`),
      putBack: (text) => ends.push(`back ${text}`),
      onChange: () => {},
    },
  );
  const say = async (text: string): Promise<string> => {
    steers.steer(text);
    await settled();
    return sent.at(-1)?.messageId ?? '';
  };
  return { steers, say, ends };
};

const steer = (messageId: string, content: string) => ({
  id: '1-1',
  event: {
    type: 'steer' as const,
    messageId,
    content,
    by: { kind: 'local' as const },
    at: '2026-01-05T09:00:00.000Z',
    interrupted: false,
  },
});

it('a steer keeps its id while nobody knows whether it was taken, and no longer', async () => {
  const { say, ends } = steering('unknown', 'unknown', 'accepted', 'accepted');
  const first = await say('and briefly');
  expect(ends).toEqual(['back and briefly']);
  expect(await say('and briefly')).toBe(first);
  expect(await say('and briefly')).toBe(first);
  expect(await say('and briefly')).not.toBe(first);
});

it('a steer is another message with other words', async () => {
  const { say } = steering('unknown');
  const first = await say('and briefly');
  expect(await say('and at length')).not.toBe(first);
});

it('a steer is another message once it was seen to be read', async () => {
  const { steers, say } = steering('unknown');
  const first = await say('and briefly');
  steers.onFrame(steer(first, 'and briefly'));
  expect(await say('and briefly')).not.toBe(first);
});

it('refused steers are sent next together, in the order in which they were typed', async () => {
  const ends: string[] = [];
  const answers: ((state: 'refused' | 'accepted') => void)[] = [];
  const steers = new TerminalSteering(() => new Promise((resolve) => answers.push(resolve)), {
    sendNext: (text) => ends.push(text),
    putBack: () => {},
    onChange: () => {},
  });
  for (const text of ['first', 'second', 'third']) steers.steer(text);
  answers[2]?.('refused');
  answers[1]?.('accepted');
  await settled();
  expect([ends, steers.pendingCount]).toEqual([[], 3]);
  answers[0]?.('refused');
  await settled();
  expect([ends, steers.pendingCount]).toEqual([['first', 'third'], 1]);
});

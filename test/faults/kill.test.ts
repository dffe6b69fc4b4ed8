/**
 * Kills processes with SIGKILL in the middle of a stream: what a reader records obeys the invariants, whatever dies.
 */
import { describe, expect, it } from '@jest/globals';
import type { ChatClient } from '../support/chat-client.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { heldAnswer, longAnswer, readTimedText } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { recordedText, violations } from '../support/recording-check.ts';
import { useStack } from '../support/use-stack.ts';

const CHUNKS = 150;
let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
/** A timeout (ms) longer than any test waits, so that the heartbeat cannot be what reveals the death of a worker. */
const HEARTBEAT = { MODEL_HEARTBEAT_TIMEOUT_MS: '300000' };
useStack({ ORION_WORKERS: '2', ...HEARTBEAT }, (started) => void ({ stack, chat, fake } = started));

/**
 * Starts a turn whose provider sends the first `held` of 150 chunks. It sends the others once a kill has opened the
 * gate, however slow the machine is.
 */
const startLongTurn = async (requestId: string, held = 50): Promise<void> => {
  fake.rules({ responses: [heldAnswer(CHUNKS, 50, held, requestId)], repeat: true });
  await chat.start({ content: 'long', requestId });
};

const killAndGoOn = async (role: string, gate: string): Promise<void> => {
  await stack.kill(role);
  fake.release(gate);
};

/** Returns the numbers of the timed chunks in a text, which the provider counts from 1 in every attempt. */
const numbersIn = (text: string): number[] => readTimedText(text).map(({ n }) => n);
const ALL = Array.from({ length: CHUNKS }, (_, i) => i + 1);

describe('kill -9 in mid-stream', () => {
  it('of every worker has the call repeated, and the text of the dead one withdrawn', async () => {
    await startLongTurn('kill-workers');
    let killed = false;
    const frames = await chat.follow('kill-workers', (frame) => {
      if (killed || !String(frame.data['content']).startsWith('#50@')) return;
      killed = true;
      void killAndGoOn('worker', 'kill-workers');
    });
    expect(killed).toBe(true);
    expect(violations(frames)).toEqual([]);
    expect(frames.filter(({ data }) => data['type'] === 'reset')).toHaveLength(1);
    expect(numbersIn(recordedText(frames))).toEqual(ALL);
    expect(fake.requests).toHaveLength(2);
  });

  it('of the gateway does not ask the model again, and nothing is lost or doubled', async () => {
    await startLongTurn('kill-gateway');
    let killed = false;
    const frames = await chat.follow('kill-gateway', (frame) => {
      if (killed || !String(frame.data['content']).startsWith('#50@')) return;
      killed = true;
      void killAndGoOn('gateway', 'kill-gateway');
    });
    expect(killed).toBe(true);
    expect(violations(frames)).toEqual([]);
    expect(frames.some(({ data }) => data['type'] === 'reset')).toBe(false);
    expect(numbersIn(recordedText(frames))).toEqual(ALL);
    expect(fake.requests).toHaveLength(1);
  });

  it('twenty readers end with the same text after a kill of worker and gateway, one after the other', async () => {
    await startLongTurn('kill-both', 40);
    const victims = [
      { role: 'worker', at: '#40@' },
      { role: 'gateway', at: '#100@' },
    ];
    let kills = 0;
    const readers = Array.from({ length: 20 }, () =>
      chat.follow('kill-both', (frame) => {
        const text = String(frame.data['content']);
        const next = victims[kills];
        if (!next || !text.startsWith(next.at)) return;
        kills += 1;
        void killAndGoOn(next.role, 'kill-both');
      }),
    );
    const recordings = await Promise.all(readers);
    expect(kills).toBe(2);
    const { content } = await chat.json('/api/turns/kill-both');
    for (const frames of recordings) {
      expect(violations(frames)).toEqual([]);
      expect(recordedText(frames)).toBe(content);
    }
    expect(numbersIn(String(content))).toEqual(ALL);
  });

  it('no turn waits for a missed heartbeat after a kill of every worker when turns have just begun', async () => {
    fake.rules({ responses: [heldAnswer(100, 50, 10, 'all-speak')], repeat: true });
    const ids = Array.from({ length: 6 }, (_, n) => `just-begun-${n}`);
    await Promise.all(ids.map((id) => chat.start({ content: 'long', conversationId: id, requestId: id })));
    const speaking = new Set<string>();
    let killed = false;
    const withdrawn = new Set<string>();
    const recordings = await Promise.all(
      ids.map((id) =>
        chat.follow(id, ({ data }) => {
          if (data['type'] === 'chunk') speaking.add(id);
          if (data['type'] === 'reset') withdrawn.add(id);
          if (killed || speaking.size < ids.length) return;
          killed = true;
          void killAndGoOn('worker', 'all-speak');
        }),
      ),
    );
    expect(killed).toBe(true);
    expect(recordings.flatMap(violations)).toEqual([]);
    expect([...withdrawn].toSorted()).toEqual(ids);
  });

  it('of a worker between two turns loses nothing at all', async () => {
    await stack.kill('worker');
    fake.rules({ responses: [longAnswer(10, 200)], repeat: true });
    const stream = await chat.chat({ content: 'after' });
    await stream.ended;
    expect(violations(stream.frames)).toEqual([]);
    expect(numbersIn(recordedText(stream.frames))).toHaveLength(10);
  });
});

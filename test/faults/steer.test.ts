/** Messages into running turns on the whole product, also while it is killed: each ends once (docs/inputs.md). */
import { describe, expect, it } from '@jest/globals';
import { withoutSurroundings } from '../../src/contracts/told-surroundings.ts';
import type { ChatClient } from '../support/chat-client.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, longAnswer } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { violations } from '../support/recording-check.ts';
import type { RecordedFrame } from '../support/sse-recorder.ts';
import { useStack } from '../support/use-stack.ts';

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
useStack({ ORION_WORKERS: '2' }, (started) => void ({ stack, chat, fake } = started));

/** A turn whose first answer takes five seconds. */
const start = async (requestId: string): Promise<void> => {
  fake.script(longAnswer(250, 50));
  await chat.post('/api/turns', { content: 'long', requestId });
};

interface Told {
  readonly status: number;
  readonly state: unknown;
}

/** Sends a message until the gateway says what became of it, as a client does whose answers are lost. */
const say = async (turnId: string, message: object): Promise<Told> => {
  for (;;) {
    const answered = await chat
      .request(`/api/turns/${turnId}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(message),
        // A gateway that was killed says nothing more.
        signal: AbortSignal.timeout(10_000),
      })
      .catch(() => undefined);
    if (answered && answered.status < 500) {
      const body = (await answered.json()) as Record<string, unknown>;
      return { status: answered.status, state: body['state'] ?? body['code'] };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const appliedIn = (frames: readonly RecordedFrame[]): unknown[] =>
  frames.flatMap(({ data }) => (data['type'] === 'steer' ? [data['messageId']] : []));
const unappliedIn = (frames: readonly RecordedFrame[]): unknown[] =>
  (frames.at(-1)?.data['unapplied'] as unknown[] | undefined) ?? [];

/** What the model was told by users, call by call. */
const userTexts = (): string[][] =>
  fake.requests.map(({ body }) =>
    (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'user' ? [withoutSurroundings(String(content))] : [],
    ),
  );

/** Fails after a time with what stands then. */
const orTell = <T>(work: Promise<T>, standing: () => Promise<string>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => void standing().then((text) => late.reject(new Error(text)), late.reject),
    150_000,
  );
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
};

describe('a message into a running turn', () => {
  it('that was accepted is read, though every worker is killed before it was', async () => {
    await start('steer-kill');
    fake.rules({ match: { user: 'and briefly' }, responses: [answer('Briefly.')], repeat: true });
    fake.rules({ responses: [longAnswer(20, 50)], repeat: true });
    let told: Promise<Told> | undefined;
    const frames = await chat.follow('steer-kill', ({ data }) => {
      if (told || !String(data['content']).startsWith('#20@')) return;
      told = say('steer-kill', { messageId: 'm', content: 'and briefly' });
      void told.then(() => stack.kill('worker'));
    });
    expect(await told).toEqual({ status: 202, state: 'accepted' });
    expect(violations(frames)).toEqual([]);
    expect(frames.filter(({ data }) => data['type'] === 'reset')).toHaveLength(1);
    expect(appliedIn(frames)).toEqual(['m']);
    expect(unappliedIn(frames)).toEqual([]);
    const [asked, ...more] = userTexts().at(-1) ?? [];
    // What surrounds the turn stands before its message.
    expect([asked?.split('\n').at(-1), ...more]).toEqual(['long', 'and briefly']);
    expect(String(frames.at(-1)?.data['fullContent'])).toContain('Briefly.');
    const messages = await chat.json('/api/chat/messages?project_id=test&limit=3');
    expect(JSON.stringify(messages)).toContain('"applied":true');
  });

  it('that interrupts closes the socket of the model call, and the turn goes on with it', async () => {
    const delays: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      fake.clear();
      const turnId = `steer-now-${n}`;
      await start(turnId);
      fake.script(answer('Then so.'));
      let sentAt = 0;
      const frames = await chat.follow(turnId, ({ data }) => {
        if (sentAt > 0 || !String(data['content']).startsWith('#5@')) return;
        sentAt = Date.now();
        void say(turnId, { messageId: turnId, content: 'otherwise', when: 'now' });
      });
      expect(frames.find(({ data }) => data['type'] === 'steer')?.data).toMatchObject({ interrupted: true });
      expect(frames.at(-1)?.data).toMatchObject({ reason: 'answered' });
      const [first] = fake.requests;
      expect(first?.ended?.how).toBe('left');
      delays.push((first?.ended?.at ?? Infinity) - sentAt);
    }
    const sorted = delays.toSorted((a, b) => a - b);
    process.stdout.write(`steer now → socket closed, ms: ${sorted.join(' ')}\n`);
    // On a quiet machine the slowest takes a tenth of it.
    expect(sorted.at(-1)).toBeLessThan(1_000);
  });

  it('ends once, whatever is killed: applied, refused or handed back', async () => {
    fake.rules({ responses: [longAnswer(15, 50)], repeat: true });
    const turns = Array.from({ length: 6 }, (_, n) => `steer-storm-${n}`);
    await Promise.all(
      turns.map((id) => chat.post('/api/turns', { content: 'long', conversationId: id, requestId: id })),
    );
    const readers = turns.map((id) => chat.follow(id));
    const told = new Map<string, Told>();
    const speakers = turns.map(async (turnId, t) => {
      for (let n = 0; n < 12; n += 1) {
        const messageId = `${turnId}-m${n}`;
        const when = (n + t) % 3 === 0 ? 'now' : 'boundary';
        const message = { messageId, content: `say ${messageId}`, when };
        // Whose answer was lost asks again.
        const [first, again] = await Promise.all([say(turnId, message), say(turnId, message)]);
        expect(again).toEqual(first);
        told.set(messageId, first);
        if (n === 4 && t === 0) await stack.kill('worker');
        if (n === 4 && t === 1) await stack.kill('gateway');
        if (n === 8 && t === 2) await chat.request(`/api/turns/${turnId}/cancel`, { method: 'POST' });
        await new Promise((resolve) => setTimeout(resolve, 60 * ((n + t) % 4)));
      }
    });
    const recordings = await orTell(
      Promise.all(speakers).then(() => Promise.all(readers)),
      async () => {
        const standing = turns.map(async (id) => JSON.stringify(await chat.json(`/api/turns/${id}`)));
        return [`${told.size} of 72 messages have an answer`, ...(await Promise.all(standing))].join('\n');
      },
    );
    const ends = recordings.flatMap((frames) => [...appliedIn(frames), ...unappliedIn(frames)]);
    for (const [messageId, { status, state }] of told) {
      const places = ends.filter((id) => id === messageId).length;
      expect({ messageId, status, state, places }).toEqual({
        messageId,
        ...(status === 202
          ? { status: 202, state: 'accepted', places: 1 }
          : { status: 409, state: 'turn_ended', places: 0 }),
      });
    }
    expect(recordings.flatMap(violations)).toEqual([]);
    expect(told.size).toBe(72);
    // 144 messages, each sent again after up to 1.6 s while no worker answers.
  }, 180_000);
});

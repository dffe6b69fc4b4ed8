/**
 * Tests messages into running turns on the whole product, also while it is killed: each has one outcome
 * (docs/inputs.md).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { turnWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import { withoutSurroundings } from '../../src/contracts/model/prompt-marks.ts';
import { createTemporalClient } from '../../src/temporal/temporal-client.ts';
import type { ChatClient } from '../support/chat-client.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, lastingAnswer, longAnswer } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { violations } from '../support/recording-check.ts';
import type { RecordedFrame } from '../support/sse-recorder.ts';
import { temporalAddress } from '../support/turn-worker.ts';
import { useStack } from '../support/use-stack.ts';

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
useStack({ ORION_WORKERS: '2' }, (started) => void ({ stack, chat, fake } = started));
const temporal = createTemporalClient({ address: temporalAddress() }, 'default');
afterAll(() => temporal.connection.close());

/** Starts a turn whose first answer does not end by itself. */
const start = async (requestId: string): Promise<void> => {
  fake.script(lastingAnswer());
  await chat.start({ content: 'long', requestId });
};

interface SteerAnswer {
  readonly status: number;
  readonly state: unknown;
}

/** Sends a message again and again until the gateway answers, as a client does whose answers are lost. */
const say = async (turnId: string, message: object): Promise<SteerAnswer> => {
  const answered = await chat.untilAnswered(`/api/turns/${turnId}/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  });
  const body = (await answered.json()) as Record<string, unknown>;
  return { status: answered.status, state: body['state'] ?? body['code'] };
};

const appliedIn = (frames: readonly RecordedFrame[]): unknown[] =>
  frames.flatMap(({ data }) => (data['type'] === 'steer' ? [data['messageId']] : []));
const unappliedIn = (frames: readonly RecordedFrame[]): unknown[] =>
  (frames.at(-1)?.data['unapplied'] as unknown[] | undefined) ?? [];

/** Returns the texts of users in each model call. */
const userTexts = (): string[][] =>
  fake.requests.map(({ body }) =>
    (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'user' ? [withoutSurroundings(String(content))] : [],
    ),
  );

/**
 * Returns the tasks of a turn's workflow that failed because its code is wrong, and not because of a death or an event
 * that came in between.
 */
const failedTasks = async (turnId: string): Promise<unknown[]> => {
  const { events } = await temporal.client.workflow.getHandle(turnWorkflowId(turnId)).fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed && !UNHANDLED.has(failed.cause ?? 0) ? [failed.failure?.message ?? failed.cause] : [],
  );
};

/** Temporal's causes of failure for a command or an update that came while the task ended the workflow. */
const UNHANDLED: ReadonlySet<number> = new Set([1, 31]);

/** Returns what is known of a turn from outside the gateway. */
const stateOf = async (turnId: string): Promise<string> => {
  const handle = temporal.client.workflow.getHandle(turnWorkflowId(turnId));
  const { status, raw } = await handle.describe();
  const row = await chat.json(`/api/turns/${turnId}`).catch(String);
  const { pendingActivities, pendingWorkflowTask } = raw;
  return JSON.stringify({
    turnId,
    status,
    pendingActivities,
    pendingWorkflowTask,
    failedTasks: await failedTasks(turnId),
    row,
  });
};

/** Settles as `work` does, but rejects after 150 s, with the state at that time as its message. */
const orFailWithState = <T>(work: Promise<T>, readState: () => Promise<string>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => void readState().then((text) => late.reject(new Error(text)), late.reject),
    150_000,
  );
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
};

describe('a message into a running turn', () => {
  it('that was accepted is read, although every worker is killed before that', async () => {
    await start('steer-kill');
    fake.rules({ match: { user: 'and briefly' }, responses: [answer('Briefly.')], repeat: true });
    fake.rules({ responses: [longAnswer(20, 50)], repeat: true });
    let sent: Promise<SteerAnswer> | undefined;
    const frames = await chat.follow('steer-kill', ({ data }) => {
      if (sent || !String(data['content']).startsWith('#20@')) return;
      sent = say('steer-kill', { messageId: 'm', content: 'and briefly' });
      void sent.then(() => stack.kill('worker'));
    });
    expect(await sent).toEqual({ status: 202, state: 'accepted' });
    expect(violations(frames)).toEqual([]);
    expect(frames.filter(({ data }) => data['type'] === 'reset')).toHaveLength(1);
    expect(appliedIn(frames)).toEqual(['m']);
    expect(unappliedIn(frames)).toEqual([]);
    const [asked, ...more] = userTexts().at(-1) ?? [];
    // The surroundings come before the message, in the same text.
    expect([asked?.split('\n').at(-1), ...more]).toEqual(['long', 'and briefly']);
    expect(String(frames.at(-1)?.data['fullContent'])).toContain('Briefly.');
    const messages = await chat.json('/api/chat/messages?project_id=test&limit=3');
    expect(JSON.stringify(messages)).toContain('"applied":true');
  });

  it('that interrupts closes the socket of the model call, and the turn goes on with it', async () => {
    for (let n = 0; n < 5; n += 1) {
      fake.clear();
      const turnId = `steer-now-${n}`;
      await start(turnId);
      fake.script(answer('Then so.'));
      let sent = false;
      const frames = await chat.follow(turnId, ({ data }) => {
        if (sent || !String(data['content']).startsWith('#5@')) return;
        sent = true;
        void say(turnId, { messageId: turnId, content: 'otherwise', when: 'now' });
      });
      expect(frames.find(({ data }) => data['type'] === 'steer')?.data).toMatchObject({ interrupted: true });
      expect(frames.at(-1)?.data).toMatchObject({ reason: 'answered' });
      expect(fake.requests[0]?.ended?.how).toBe('left');
    }
  });

  it('has one outcome, whatever is killed: applied, refused or returned', async () => {
    fake.rules({ responses: [longAnswer(15, 50)], repeat: true });
    const turns = Array.from({ length: 6 }, (_, n) => `steer-storm-${n}`);
    await Promise.all(turns.map((id) => chat.start({ content: 'long', conversationId: id, requestId: id })));
    const readers = turns.map((id) => chat.follow(id));
    const answers = new Map<string, SteerAnswer>();
    const speakers = turns.map(async (turnId, t) => {
      for (let n = 0; n < 12; n += 1) {
        const messageId = `${turnId}-m${n}`;
        const when = (n + t) % 3 === 0 ? 'now' : 'boundary';
        const message = { messageId, content: `say ${messageId}`, when };
        // A client whose answer was lost sends the message again.
        const [first, again] = await Promise.all([say(turnId, message), say(turnId, message)]);
        expect(again).toEqual(first);
        answers.set(messageId, first);
        if (n === 4 && t === 0) await stack.kill('worker');
        if (n === 4 && t === 1) await stack.kill('gateway');
        if (n === 8 && t === 2) await chat.untilAnswered(`/api/turns/${turnId}/cancel`, { method: 'POST' });
        await delay(60 * ((n + t) % 4));
      }
    });
    const recordings = await orFailWithState(
      Promise.all(speakers).then(() => Promise.all(readers)),
      async () => {
        const states = await Promise.all(turns.map(stateOf));
        return [`${answers.size} of 72 messages have an answer`, ...states, stack.output].join('\n');
      },
    );
    const ends = recordings.flatMap((frames) => [...appliedIn(frames), ...unappliedIn(frames)]);
    for (const [messageId, { status, state }] of answers) {
      const places = ends.filter((id) => id === messageId).length;
      expect({ messageId, status, state, places }).toEqual({
        messageId,
        ...(status === 202
          ? { status: 202, state: 'accepted', places: 1 }
          : { status: 409, state: 'turn_ended', places: 0 }),
      });
    }
    expect(recordings.flatMap(violations)).toEqual([]);
    expect(answers.size).toBe(72);
    expect((await Promise.all(turns.map(failedTasks))).flat()).toEqual([]);
    // There are 144 messages, each sent again for up to 1.6 s while no worker answers.
  }, 180_000);
});

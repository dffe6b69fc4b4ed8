/** Kills the worker with SIGKILL while money is spent: every attempt is counted once, and nothing stays reserved. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SUMMARY_PROMPT_START } from '../../src/contracts/model/prompt-marks.ts';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, refusal } from '../support/fake-model/responses.ts';
import type { Response } from '../support/fake-model/script.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { violations } from '../support/recording-check.ts';
import type { RecordedFrame } from '../support/sse-recorder.ts';
import { useStack } from '../support/use-stack.ts';
import { fillUntil } from './support/long-conversation.ts';
import { Spending } from './support/spending.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-spending-'));
const models = join(folder, 'models.json');
let spare: FakeModel;
beforeAll(async () => {
  spare = await startFakeModel();
  const prices = { input: 1, output: 10 };
  const other = { baseUrl: spare.baseUrl, contextWindow: 100_000, prices };
  writeFileSync(models, JSON.stringify({ fake: { fallback: 'spare', prices }, spare: other }));
});
let stack: OrionStack;
let chat: ChatClient;
let fake: FakeModel;
/** A timeout (ms) longer than any test waits, so that the heartbeat cannot be what reveals the death of a worker. */
const HEARTBEAT = { MODEL_HEARTBEAT_TIMEOUT_MS: '300000' };
useStack({ ORION_MODELS_FILE: models, CONTEXT_TOKENS: '6000', ...HEARTBEAT }, (started) => {
  ({ stack, chat, fake } = started);
});
let spending: Spending;
beforeAll(async () => {
  spending = await Spending.open(stack.databaseUrl);
});
afterAll(async () => {
  await spending.close();
  await spare.close();
  rmSync(folder, { recursive: true });
});

/** Returns an answer that says `text`, and nothing more until its reader is dead. */
const unfinishedAnswer = (text: string): Response => ({ steps: [{ text }, { gate: 'never' }] });
/** The cost of a whole answer of the fake provider: 100 tokens of prompt and 20 of answer. */
const WHOLE = '300';

const costOf = async (turnId: string): Promise<unknown> => (await chat.json(`/api/turns/${turnId}`))['cost'];

/** Expects every sum to be that of its attempts, also in `GET /api/costs`, and nothing to be reserved. */
const expectSettled = async (): Promise<void> => {
  expect(await spending.wrong()).toEqual([]);
  const days = (await chat.json('/api/costs?days=2'))['costs'] as { spent: number; reserved: number }[];
  const spent = days.reduce((sum, day) => sum + day.spent, 0);
  const reserved = days.reduce((sum, day) => sum + day.reserved, 0);
  expect({ spent, reserved }).toEqual({ spent: await spending.paid(), reserved: 0 });
};

/** Follows a turn, and kills the worker once its reader has seen `text`. */
const killAt = async (turnId: string, text: string): Promise<RecordedFrame[]> => {
  let killed: Promise<void> | undefined;
  const frames = await chat.follow(turnId, ({ data }) => {
    if (String(data['content']).includes(text)) killed ??= stack.kill('worker');
  });
  await killed;
  expect(killed).toBeDefined();
  expect(violations(frames)).toEqual([]);
  return frames;
};

it('a worker killed during a summary: one is made and announced once; what was lost counts for the conversation', async () => {
  fake.rules(
    {
      match: { includes: SUMMARY_PROMPT_START },
      responses: [unfinishedAnswer('Half of'), answer('Ada wants tea.')],
      repeat: true,
    },
    { responses: [answer('Good.')], repeat: true },
  );
  const asked = () =>
    fake.requests.filter(({ body }) => JSON.stringify(body.messages?.[0]).includes(SUMMARY_PROMPT_START));
  const n = await fillUntil(chat, 'long', () => asked().length > 0);
  await stack.kill('worker');
  const [summary] = await eventually('the end of the summary', async () => {
    const all = await spending.summaries('long');
    return all.length > 0 && all.every(({ isReady }) => isReady) && all;
  });
  expect(summary?.content).toBe('Ada wants tea.');
  await fillUntil(
    chat,
    'long',
    async () => JSON.stringify(fake.requests.at(-1)?.body).includes('[end of the summary]'),
    n,
  );
  const prompt = JSON.stringify(fake.requests.at(-1)?.body.messages);
  expect(prompt.split('Ada wants tea.')).toHaveLength(2);
  const paid = (await spending.attempts('long')).filter(({ epoch }) => epoch < 0);
  expect(paid).toHaveLength(asked().length);
  expect(paid.filter(({ cost }) => cost !== WHOLE)).toHaveLength(1);
  await expectSettled();
});

it('a worker killed in the answer of a fallback: only that model is asked again, and both attempts are paid', async () => {
  const down = refusal(503, { message: 'down' });
  fake.script(down, down, down);
  spare.script(unfinishedAnswer('From the '), answer('From ', 'the spare one.'));
  await chat.start({ conversationId: 'taken-over', requestId: 'taken-over', content: 'anybody there?' });
  const frames = await killAt('taken-over', 'From the ');
  expect(frames.at(-1)?.data).toMatchObject({ type: 'done', fullContent: 'From the spare one.' });
  expect([fake.requests.length, spare.requests.length]).toEqual([3, 2]);
  const attempts = await spending.attempts('taken-over');
  expect(attempts.map(({ model, wasted }) => [model, wasted])).toEqual([
    ['fake', true],
    ['fake', true],
    ['fake', true],
    ['spare', true],
    ['spare', false],
  ]);
  const [, , , lost, whole] = attempts;
  expect(whole?.cost).toBe(WHOLE);
  expect(await costOf('taken-over')).toEqual({ total: Number(lost?.cost) + 300, wasted: Number(lost?.cost) });
  await expectSettled();
});

it('between the end of an answer and its settlement: it is asked again, and the lost one is settled as such', async () => {
  const half: Response = { steps: [{ text: 'Tea' }, { gate: 'held' }, ...(answer().steps ?? [])] };
  fake.script(half, answer('Tea.'));
  await chat.start({ conversationId: 'unsettled', requestId: 'unsettled', content: 'tea or coffee?' });
  const following = chat.follow('unsettled');
  await fake.nextRequest();
  await spending.strikeSettling(
    () => fake.release('held'),
    () => stack.kill('worker'),
  );
  const frames = await following;
  expect(violations(frames)).toEqual([]);
  expect(frames.at(-1)?.data).toMatchObject({ type: 'done', fullContent: 'Tea.' });
  expect(fake.requests).toHaveLength(2);
  const [lost, whole] = await spending.attempts('unsettled');
  expect([lost?.wasted, whole?.wasted, whole?.cost]).toEqual([true, false, WHOLE]);
  expect(await costOf('unsettled')).toEqual({ total: Number(lost?.cost) + 300, wasted: Number(lost?.cost) });
  await expectSettled();
});

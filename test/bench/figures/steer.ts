import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient } from '../../support/chat-client.ts';
import { answer } from '../../support/fake-model/responses.ts';
import { SseRecorder } from '../../support/sse-recorder.ts';
import type { Arm } from '../arms/arm.ts';
import { startBareInputsArm, type BareInputsArm } from '../arms/bare-inputs-arm.ts';
import { inRandomBlocks } from '../comparison.ts';
import type { Figure } from '../figure.ts';
import type { Ground } from '../ground.ts';
import { endingAfter } from '../model.ts';
import { atMost, SUMMARY_COLUMNS, summaryRow } from '../report.ts';
import { summarize } from '../statistics.ts';

const WARM_UP_BLOCKS = 5;
const BLOCKS = { full: 120, quick: 5 };
const QUESTION = 'Talk until I stop you.';
/** Interrupts come at any moment between the durable batches of a streaming answer. */
const MIN_STREAMED_MS = 50;
const MAX_STREAMED_MS = 400;
/** The bar of docs/performance.md for p99 in milliseconds. */
const BAR = 100;

interface SteerArm {
  readonly name: 'proxy' | 'bare' | 'orion';
  /**
   * Begins an endless answer; once it streams, resolves to a function that interrupts it and waits until everything has
   * ended.
   */
  talk(): Promise<() => Promise<unknown>>;
}

/** Returns the arm of the bare proxy, whose readers interrupt an answer by closing their connection. */
const proxyArm = ({ arms }: Ground): SteerArm => ({
  name: 'proxy',
  async talk() {
    const { url, body } = arms.find(({ name }) => name === 'proxy') as Arm;
    const init = { method: 'POST', body: JSON.stringify(body(randomUUID(), QUESTION)) };
    const stream = await SseRecorder.open(url, init);
    await stream.next(() => true);
    return async () => stream.close();
  },
});

/** Returns the arm that interrupts by a signal to a workflow, which cancels its activity as Temporal offers it. */
const bareArm = (rival: BareInputsArm, { model }: Ground): SteerArm => ({
  name: 'bare',
  async talk() {
    const id = randomUUID();
    await rival.post('/talk', { id });
    await model.untilAsked();
    return () => rival.post('/interrupt', { id });
  },
});

const orionArm = ({ orion }: Ground): SteerArm => ({
  name: 'orion',
  async talk() {
    const chat = new ChatClient(orion.baseUrl);
    const stream = await chat.chat({ content: QUESTION });
    await stream.next(({ data }) => data['type'] === 'chunk');
    const path = `/api/turns/${stream.response.headers.get('x-turn-id')}/messages`;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ content: 'Stop.', when: 'now' });
    return async () => {
      const told = await chat.request(path, { method: 'POST', headers, body });
      if (told.status !== 202) throw new Error(`steer: expected 202, received ${await told.text()}`);
      await stream.ended;
    };
  },
});

/**
 * Returns the milliseconds from the interrupt until the model's socket is closed, both measured by the clock of the
 * machine.
 */
const interruptOnce = async (
  { talk }: SteerArm,
  { model }: Ground,
  random: () => number,
): Promise<number> => {
  await model.follow([
    { responses: [endingAfter([{ text: 'First ' }, { chunks: 'endless', perSecond: 50 }])] },
    { responses: [answer('Stopped.')], repeat: true },
  ]);
  const interrupt = await talk();
  await delay(MIN_STREAMED_MS + random() * (MAX_STREAMED_MS - MIN_STREAMED_MS));
  const interruptedAt = Date.now();
  const [leftAt] = await Promise.all([model.untilLeft(), interrupt()]);
  return leftAt - interruptedAt;
};

export const steer: Figure = {
  name: 'steer',
  title: 'A message that interrupts → the model’s socket is closed (whole ms)',
  async measure(bench) {
    const { isQuick, random, ground } = bench;
    const on = await ground();
    const rival = await startBareInputsArm(bench, 'rival-steer');
    const arms = [proxyArm(on), bareArm(rival, on), orionArm(on)];
    const run = (blocks: number) =>
      inRandomBlocks(arms, blocks, random, async (arm) => [await interruptOnce(arm, on, random)]);
    await run(WARM_UP_BLOCKS);
    const samples = await run(isQuick ? BLOCKS.quick : BLOCKS.full);
    const of = (name: SteerArm['name']) => summarize(samples.get(name) ?? []);
    return {
      columns: ['arm', ...SUMMARY_COLUMNS],
      rows: [
        summaryRow('proxy, its reader leaves', of('proxy')),
        summaryRow('bare activity, cancelled by a signal', of('bare')),
        summaryRow('orion', of('orion')),
      ],
      checks: [atMost('orion, p99', of('orion').p99, BAR, ' ms')],
    };
  },
};

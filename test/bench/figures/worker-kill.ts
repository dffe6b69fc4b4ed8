import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient } from '../../support/chat-client.ts';
import { violations } from '../../support/recording-check.ts';
import type { RecordedFrame, SseRecorder } from '../../support/sse-recorder.ts';
import { ask } from '../arms/ask.ts';
import type { Bench, Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { rounded } from '../report.ts';
import { StackWorkers } from '../stack-workers.ts';
import { summarize } from '../statistics.ts';

const WORKERS = 2;
const KILLS = { full: 10, quick: 1 };
/** The worker that took over has just started; these turns warm up its code, as in a running system. */
const WARM_UP_TURNS = 10;
const ENDLESS_QUESTION = 'Talk until I stop you.';
/** Kills come at any moment between the durable batches, which are 250 ms, 500 ms and more apart. */
const MIN_STREAMED_MS = 200;
const MAX_STREAMED_MS = 1500;
/** The bar of docs/performance.md for p95 in milliseconds. */
const BAR = 800;

const isText = ({ data }: RecordedFrame): boolean => data['type'] === 'chunk';

/** Returns the milliseconds from the SIGKILL of the streaming worker to the first text of the next attempt. */
const killOnce = async (chat: ChatClient, workers: StackWorkers, streamedMs: number): Promise<number> => {
  const stream = await chat.chat({ content: ENDLESS_QUESTION });
  const turnId = stream.response.headers.get('x-turn-id') ?? '';
  await stream.next(isText);
  await delay(streamedMs);
  const pid = await workers.runningActivityOf(`turn/${turnId}`);
  const killedAt = performance.now();
  process.kill(pid, 'SIGKILL');
  const back = await firstTextAfterReset(stream);
  await chat.request(`/api/turns/${turnId}/cancel`, { method: 'POST' });
  await stream.ended;
  const wrong = violations(stream.frames);
  if (wrong.length > 0) throw new Error(`turn ${turnId} after a killed worker: ${wrong.join('; ')}`);
  return back.at - killedAt;
};

const firstTextAfterReset = (stream: SseRecorder): Promise<RecordedFrame> => {
  let reset = false;
  return stream.next((frame) => {
    reset ||= frame.data['type'] === 'reset';
    return reset && isText(frame);
  });
};

const measureKills = async ({ isQuick, random, ground }: Bench): Promise<number[]> => {
  const { model, orion, temporal } = await ground();
  const workers = new StackWorkers(orion, temporal);
  const chat = new ChatClient(orion.baseUrl);
  await model.follow([
    {
      match: { user: ENDLESS_QUESTION },
      responses: [endingAfter([{ text: 'First ' }, { chunks: 'endless', perSecond: 50 }])],
      repeat: true,
    },
    { responses: [endingAfter([{ text: 'Hello.' }])], repeat: true },
  ]);
  const times: number[] = [];
  for (let kill = 0; kill < (isQuick ? KILLS.quick : KILLS.full); kill += 1) {
    await workers.untilPolling(WORKERS);
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await ask(orion, 'Hello?');
    const streamedMs = MIN_STREAMED_MS + random() * (MAX_STREAMED_MS - MIN_STREAMED_MS);
    times.push(await killOnce(chat, workers, streamedMs));
  }
  return times;
};

export const workerKill: Figure = {
  name: 'worker-kill',
  title: `kill -9 of the streaming worker → first text of the next attempt, ${WORKERS} supervised workers (ms)`,
  async measure(bench) {
    const times = await measureKills(bench);
    const { n, p50, p95 } = summarize(times);
    return {
      columns: ['arm', 'N', 'p50', 'p95', 'max'],
      rows: [['orion', String(n), rounded(p50), rounded(p95), rounded(Math.max(...times))]],
      checks: [{ what: 'orion, p95', value: p95, bar: BAR, side: 'at most', unit: ' ms' }],
    };
  },
};

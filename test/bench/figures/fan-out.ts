import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient } from '../../support/chat-client.ts';
import { ask } from '../arms/ask.ts';
import { startBroadcastArm, type BroadcastArm } from '../arms/broadcast-arm.ts';
import type { OrionArm } from '../arms/orion-arm.ts';
import type { Bench, Figure } from '../figure.ts';
import { endingAfter, type BenchModel } from '../model.ts';
import { processesOfRole } from '../stack-processes.ts';
import { atMost, SUMMARY_COLUMNS, summaryRow, type Check } from '../report.ts';
import { summarize, type Summary } from '../statistics.ts';
import { lagsOf, openViewers, textOf, textOfEvent, type Viewer } from '../viewers.ts';

const VIEWERS = { full: 1_000, quick: 50 };
const QUESTION = 'Talk to all of us.';
/** Events come so slowly that one has reached all viewers before the next one comes. */
const EVENTS_PER_SECOND = 5;
const EVENTS = { full: 50, quick: 10 };
const OPENING_MS = { full: 4_000, quick: 1_000 };
const BEHIND = 200;
const GONE_MS = 30_000;
/** The bars of docs/performance.md for p99 in milliseconds. */
const BARS = { fanOut: 20, reconnect: 1_000 };

const timed = (chunks: number, perSecond: number) => ({ chunks, perSecond });

/** Returns an answer that begins only when all viewers have come, so that all of them see the whole answer. */
const answerFor = (isQuick: boolean) => {
  const size = isQuick ? 'quick' : 'full';
  return endingAfter([{ waitMs: OPENING_MS[size] }, timed(EVENTS[size], EVENTS_PER_SECOND)]);
};

/** Measures the time in which an event reaches all viewers of a turn of Orion. */
const orionFanOut = async (orion: OrionArm, model: BenchModel, isQuick: boolean): Promise<Summary> => {
  await model.answerAll(answerFor(isQuick));
  const starter = await new ChatClient(orion.baseUrl).chat({ content: QUESTION });
  const turnId = starter.response.headers.get('x-turn-id') ?? '';
  const url = `${orion.baseUrl}/api/turns/${turnId}/events`;
  const viewers = await openViewers(isQuick ? VIEWERS.quick : VIEWERS.full, url);
  return summarize(await lagsOf(viewers, textOfEvent));
};

const askBroadcast = ({ url, body }: BroadcastArm): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body(QUESTION, QUESTION)) });

/** Measures that time for a process without Temporal, database or event ids. */
const bareFanOut = async ({ ground, isQuick }: Bench): Promise<Summary> => {
  const { broadcast, model } = await ground();
  await model.answerAll(answerFor(isQuick));
  const viewers = openViewers(isQuick ? VIEWERS.quick : VIEWERS.full, broadcast.eventsUrl);
  const answered = askBroadcast(broadcast);
  const lags = await lagsOf(await viewers, broadcast.textOf);
  await answered;
  return summarize(lags);
};

interface Reconnects {
  readonly caughtUp: Summary;
  /** The number of viewers that did not get exactly the text that they had missed. */
  readonly wrong: number;
}

/**
 * Kills the gateway with SIGKILL; when it serves again, all viewers come back at once, each of them `BEHIND` events
 * behind.
 */
const reconnect = async ({ ground, isQuick }: Bench): Promise<Reconnects> => {
  const { model, orion } = await ground();
  const gate = `fan-out-${performance.now()}`;
  const chunks = BEHIND + 50;
  await model.answerAll(endingAfter([timed(chunks, 200), { gate }]));
  const chat = new ChatClient(orion.baseUrl);
  const first = await chat.chat({ content: QUESTION });
  const turnId = first.response.headers.get('x-turn-id') ?? '';
  await first.next(({ data }) => String(data['chunk'] ?? '').includes(`#${chunks}@`));
  const said = first.frames.filter(({ data }) => data['type'] === 'chunk');
  const from = said.at(-BEHIND - 1);
  const missed = said
    .slice(-BEHIND)
    .map(({ data }) => String(data['chunk']))
    .join('');
  for (const pid of await processesOfRole(orion, 'gateway')) process.kill(pid, 'SIGKILL');
  await first.ended;
  await untilReady(chat);
  const url = `${orion.baseUrl}/api/turns/${turnId}/events`;
  const viewers = await openViewers(isQuick ? VIEWERS.quick : VIEWERS.full, url, {
    'Last-Event-ID': from?.id ?? '',
  });
  const caughtUp = await allCaughtUp(viewers, chunks);
  const wrong = viewers.filter(
    ({ arrivals }) =>
      textOf(arrivals, textOfEvent)
        .map(({ text }) => text)
        .join('') !== missed,
  );
  for (const viewer of viewers) viewer.close();
  await chat.request(`/api/turns/${turnId}/cancel`, { method: 'POST' });
  await model.release(gate);
  return { caughtUp, wrong: wrong.length };
};

/**
 * Measures the shortest possible reconnect: a process that has just started, as the gateway has, writes to each viewer
 * at once what it has in memory.
 */
const bareReconnect = async ({ ground, processes, isQuick }: Bench): Promise<Summary> => {
  const { model } = await ground();
  const broadcast = await startBroadcastArm(processes, model, 'rival-broadcast-anew');
  const gate = `bare-${performance.now()}`;
  await model.answerAll(endingAfter([timed(BEHIND, 200), { gate }]));
  const first = await openViewers(1, broadcast.eventsUrl);
  const answered = askBroadcast(broadcast);
  await allCaughtUp(first, BEHIND);
  const viewers = await openViewers(isQuick ? VIEWERS.quick : VIEWERS.full, broadcast.eventsUrl);
  const caughtUp = await allCaughtUp(viewers, BEHIND);
  for (const viewer of [...first, ...viewers]) viewer.close();
  await model.release(gate);
  await answered;
  return caughtUp;
};

/** Summarises, over all viewers, the milliseconds from the request to the chunk with this number. */
const allCaughtUp = async (viewers: readonly Viewer[], chunk: number): Promise<Summary> =>
  summarize(await Promise.all(viewers.map((viewer) => caughtUpAfter(viewer, `#${chunk}@`))));

const untilReady = async (chat: ChatClient): Promise<void> => {
  const deadline = performance.now() + GONE_MS;
  while (performance.now() < deadline) {
    if (
      await chat.request('/ready').then(
        ({ ok }) => ok,
        () => false,
      )
    ) {
      return;
    }
    await delay(20);
  }
  throw new Error(`the gateway is not back after ${GONE_MS} ms`);
};

/** Returns the milliseconds from the request to the bytes that contain `mark`. */
const caughtUpAfter = async ({ arrivals, askedAt }: Viewer, mark: string): Promise<number> => {
  const deadline = performance.now() + GONE_MS;
  while (performance.now() < deadline) {
    const last = arrivals.find(({ text }) => text.includes(mark));
    if (last) return last.at - askedAt;
    await delay(50);
  }
  throw new Error(`a viewer has not caught up after ${GONE_MS} ms`);
};

export const fanOut: Figure = {
  name: 'fan-out',
  title: 'Viewers of one turn: an event to all of them; all come back after kill -9 of the gateway (ms)',
  async measure(bench) {
    const { model, orion } = await bench.ground();
    await ask(orion, 'Hello?').catch(() => undefined);
    const bare = await bareFanOut(bench);
    const product = await orionFanOut(orion, model, bench.isQuick);
    const bareBack = await bareReconnect(bench);
    const back = await reconnect(bench);
    const checks: Check[] = [
      atMost('orion, an event to all, p99', product.p99, BARS.fanOut, ' ms'),
      atMost('orion, caught up, p99', back.caughtUp.p99, BARS.reconnect, ' ms'),
      atMost('viewers whose text was wrong', back.wrong, 0),
    ];
    return {
      columns: ['what', ...SUMMARY_COLUMNS],
      rows: [
        summaryRow('bare broadcast, an event to all', bare),
        summaryRow('orion, an event to all', product),
        summaryRow(`bare broadcast, started anew, caught up from ${BEHIND} events behind`, bareBack),
        summaryRow(`orion, caught up from ${BEHIND} events behind`, back.caughtUp),
      ],
      checks,
    };
  },
};

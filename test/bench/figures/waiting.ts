import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient } from '../../support/chat-client.ts';
import { answerWithCall } from '../../support/fake-model/responses.ts';
import type { Arm } from '../arms/arm.ts';
import {
  askUntilAccepted,
  CHUNKS_PER_SECOND,
  epochNow,
  answerLastingFor,
  streamTurns,
  msUntilTogether,
} from '../crowd.ts';
import type { Bench, Figure } from '../figure.ts';
import type { Ground } from '../ground.ts';
import { endingAfter } from '../model.ts';
import { residentMiB } from '../process-memory.ts';
import { atMost, rounded, SUMMARY_COLUMNS, summaryRow } from '../report.ts';
import { processesOfRole } from '../stack-processes.ts';
import { summarize, type Summary } from '../statistics.ts';

const WAITING = { full: 1_000, quick: 20 };
const WARM_UP_TURNS = { full: 200, quick: 10 };
const STREAMING = 20;
const WINDOW_MS = { full: 6_000, quick: 1_000 };
const AT_ONCE = 8;
const RETRY_MS = 1_000;
/** The milliseconds after which garbage from the start has been collected and the sweeper has run once. */
const SETTLE_MS = { full: 10_000, quick: 1_000 };
const ALL_WAIT_MS = 60_000;
const PROJECT = 'bench-waiting';
const QUESTION = 'Write the note.';
/**
 * The bars of docs/performance.md: the growth in MiB, the lag in milliseconds as for 200 turns, and its increase as
 * beside reads of traces.
 */
const BARS = { growth: 50, lagP99: 50, moreP50: 1 };

type ArmName = 'proxy' | 'orion';
type Lags = Readonly<Record<ArmName, Summary>>;

/** Does `count` pieces of work, several of them at once. */
const repeatInParallel = async (count: number, work: (n: number) => Promise<unknown>): Promise<void> => {
  const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
    for (let n = lane; n < count; n += AT_ONCE) await work(n);
  });
  await Promise.all(lanes);
};

const idOf = (n: number): string => `waiting-${n}`;

const startOne = async (chat: ChatClient, n: number): Promise<void> => {
  const [requestId, metadata] = [idOf(n), { approvals: 'writes' }];
  const body = { projectId: PROJECT, conversationId: requestId, requestId, content: QUESTION, metadata };
  for (;;) {
    const { ok, status, ...refused } = await chat.post('/api/turns', body);
    if (ok) return;
    if (status !== 503) {
      throw new Error(`waiting: expected a turn, received ${status} ${JSON.stringify(refused)}`);
    }
    await delay(RETRY_MS);
  }
};

/** Reports whether at least `count` requests of these turns wait for their reply. */
const hasWaiting = async (chat: ChatClient, count: number): Promise<boolean> => {
  const query = `projectId=${PROJECT}&status=open&limit=1&offset=${count - 1}`;
  const { inputs } = await chat.json(`/api/inputs?${query}`);
  return (inputs as unknown[]).length > 0;
};

const untilAllWait = (chat: ChatClient, count: number) => until(() => hasWaiting(chat, count));
const untilNoneWaits = (chat: ChatClient) => until(async () => !(await hasWaiting(chat, 1)));

const until = async (happened: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + ALL_WAIT_MS;
  while (!(await happened())) {
    if (performance.now() > deadline) throw new Error('waiting: the turns do not all wait, or all end');
    await delay(200);
  }
};

/** Returns the lags of turns that stream together. */
const lagsOf = async (arm: Arm, windowMs: number): Promise<Summary> => {
  const from = epochNow() + msUntilTogether(STREAMING);
  const chunks = await streamTurns(arm, STREAMING);
  const together = chunks.filter(({ sentAt }) => sentAt >= from && sentAt < from + windowMs);
  return summarize(together.map(({ lag }) => lag));
};

const lagsOfBoth = async ({ arms, model }: Ground, windowMs: number): Promise<Lags> => {
  const of = (wanted: ArmName) => lagsOf(arms.find(({ name }) => name === wanted) as Arm, windowMs);
  await model.answerAll(answerLastingFor(STREAMING, windowMs));
  return { proxy: await of('proxy'), orion: await of('orion') };
};

/** Returns the memory in MiB of the gateway, and of all workers together. */
const memoryOf = async ({ orion }: Ground) => {
  const [gateways, workers] = [
    await processesOfRole(orion, 'gateway'),
    await processesOfRole(orion, 'worker'),
  ];
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + residentMiB(pid), 0);
  return { gateway: sum(gateways), workers: sum(workers) };
};

const measureWaiting = async ({ isQuick, ground }: Bench) => {
  const on = await ground();
  const size = isQuick ? 'quick' : 'full';
  const chat = new ChatClient(on.orion.baseUrl);
  await on.model.answerAll(endingAfter([{ text: 'Hello.' }]));
  await repeatInParallel(WARM_UP_TURNS[size], () => askUntilAccepted(on.orion));
  await delay(SETTLE_MS[size]);
  const before = await memoryOf(on);
  const write = answerWithCall('FileSystemTool_write_to_file', { path: 'note.txt', content: 'Allowed.\n' });
  await on.model.follow([{ responses: [write], repeat: true }]);
  await repeatInParallel(WAITING[size], (n) => startOne(chat, n));
  await untilAllWait(chat, WAITING[size]);
  await delay(SETTLE_MS[size]);
  const after = await memoryOf(on);
  const beside = await lagsOfBoth(on, WINDOW_MS[size]);
  // The measurement has neither ended nor answered any of them.
  await untilAllWait(chat, WAITING[size]);
  await repeatInParallel(WAITING[size], (n) =>
    chat.request(`/api/turns/${idOf(n)}/cancel`, { method: 'POST' }),
  );
  await untilNoneWaits(chat);
  await delay(SETTLE_MS[size]);
  return {
    without: await lagsOfBoth(on, WINDOW_MS[size]),
    beside,
    gateway: after.gateway - before.gateway,
    workers: after.workers - before.workers,
  };
};

export const waiting: Figure = {
  name: 'waiting',
  title: `${WAITING.full} turns that wait beside ${STREAMING} at ${CHUNKS_PER_SECOND} chunks/s: chunk lag (ms)`,
  async measure(bench) {
    const { without, beside, gateway, workers } = await measureWaiting(bench);
    const more = beside.orion.p50 - without.orion.p50;
    return {
      columns: ['chunk lag', ...SUMMARY_COLUMNS],
      rows: [
        summaryRow('proxy beside them', beside.proxy),
        summaryRow('proxy without them', without.proxy),
        summaryRow('orion beside them', beside.orion),
        summaryRow('orion without them', without.orion),
      ],
      checks: [
        atMost('gateway, growth', gateway, BARS.growth, ' MiB'),
        atMost('orion, beside them − without, p50', more, BARS.moreP50, ' ms'),
        atMost('orion beside them, p99', beside.orion.p99, BARS.lagP99, ' ms'),
      ],
      notes: [`both workers, growth: ${rounded(workers)} MiB`],
    };
  },
};

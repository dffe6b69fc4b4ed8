import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../arms/ask.ts';
import type { OrionArm } from '../arms/orion-arm.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { shuffle } from '../random.ts';
import { rounded } from '../report.ts';
import { summarize } from '../statistics.ts';
import { readLags } from '../timed-text.ts';

const TURNS = 20;
const CHUNKS_PER_SECOND = 50;
const READS_PER_SECOND = 100;
/** What starts cost is another figure's business. */
const START_GAP_MS = 75;
const WARM_UP_TURNS = 20;
const SIZE = { full: { blocks: 5, chunks: 250 }, quick: { blocks: 1, chunks: 100 } };
/** storage.md "Traces"; milliseconds. What 200 turns may have (targets.md) is enough for 20 and their readers. */
const MOST_LAG_P99 = 50;
const MOST_MORE_P50 = 1;

type Kind = 'alone' | 'with reads';

/** Lags of the chunks of all turns that stream at once. */
const streamTurns = async (orion: OrionArm): Promise<number[]> => {
  const ready = Array.from({ length: TURNS }, async (_, i) => {
    await delay(i * START_GAP_MS);
    return ask(orion, 'Talk.');
  });
  return (await Promise.all(ready)).flatMap(({ pieces }) => readLags(pieces));
};

/** Milliseconds that a read took; undefined when it was refused. */
const readOnce = async (orion: OrionArm): Promise<number | undefined> => {
  const startedAt = performance.now();
  const response = await fetch(`${orion.baseUrl}/api/trace/logs?projectId=bench`);
  await response.arrayBuffer();
  return response.ok ? performance.now() - startedAt : undefined;
};

/** Reads the newest traces so many times a second until `over`, whether or not the answers keep up. */
const readTraces = async (orion: OrionArm, over: AbortSignal): Promise<(number | undefined)[]> => {
  const reads: Promise<number | undefined>[] = [];
  const begunAt = performance.now();
  while (!over.aborted) {
    const due = Math.floor(((performance.now() - begunAt) / 1000) * READS_PER_SECOND);
    while (reads.length < due) reads.push(readOnce(orion).catch(() => undefined));
    await delay(5);
  }
  return Promise.all(reads);
};

export const traceReads: Figure = {
  name: 'trace-reads',
  title: `${READS_PER_SECOND} trace reads/s beside ${TURNS} turns at ${CHUNKS_PER_SECOND} chunks/s (ms)`,
  async measure({ quick, random, ground }) {
    const { model, orion } = await ground();
    const { blocks, chunks } = quick ? SIZE.quick : SIZE.full;
    await model.answerAll(endingAfter([{ text: 'Hello.' }]));
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await ask(orion, 'Hello?');
    await model.answerAll(endingAfter([{ chunks, perSecond: CHUNKS_PER_SECOND }]));
    const lags: Record<Kind, number[]> = { alone: [], 'with reads': [] };
    const outcomes: (number | undefined)[] = [];
    for (let block = 0; block < blocks; block += 1) {
      for (const kind of shuffle<Kind>(['alone', 'with reads'], random)) {
        const over = new AbortController();
        const reading = kind === 'alone' ? Promise.resolve([]) : readTraces(orion, over.signal);
        lags[kind].push(...(await streamTurns(orion)));
        over.abort();
        outcomes.push(...(await reading));
      }
    }
    const readTimes = outcomes.filter((time) => time !== undefined);
    const [alone, beside, reads] = [lags.alone, lags['with reads'], readTimes].map(summarize);
    if (!alone || !beside || !reads) throw new Error('trace-reads: nothing was measured');
    const row = (name: string, { n, p50, p95, p99 }: typeof alone): string[] => [
      name,
      String(n),
      ...[p50, p95, p99].map(rounded),
    ];
    return {
      columns: ['what', 'N', 'p50', 'p95', 'p99'],
      rows: [
        row('chunk lag alone', alone),
        row('chunk lag with reads', beside),
        row('a read of 50 traces', reads),
      ],
      checks: [
        {
          what: 'reads refused',
          value: outcomes.length - readTimes.length,
          bar: 0,
          side: 'at most',
          unit: '',
        },
        {
          what: 'chunk lag with reads, p99',
          value: beside.p99,
          bar: MOST_LAG_P99,
          side: 'at most',
          unit: ' ms',
        },
        {
          what: 'chunk lag, with reads − alone, p50',
          value: beside.p50 - alone.p50,
          bar: MOST_MORE_P50,
          side: 'at most',
          unit: ' ms',
        },
      ],
    };
  },
};

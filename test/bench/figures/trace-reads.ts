import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../arms/ask.ts';
import { CHUNKS_PER_SECOND, epochNow, answerLastingFor, streamTurns, msUntilTogether } from '../crowd.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { shuffle } from '../../support/random.ts';
import { SUMMARY_COLUMNS, summaryRow } from '../report.ts';
import { summarize } from '../statistics.ts';
import type { TimedChunk } from '../timed-text.ts';
import { type ReadTimes, TraceReader } from '../trace-reader.ts';

const TURNS = 20;
const READS_PER_SECOND = 100;
const WINDOW_MS = 2_000;
/** The pause between two windows in milliseconds, in which the work of the first one is finished. */
const GAP_MS = 200;
const WARM_UP_TURNS = 20;
const SIZE = { full: { blocks: 3, pairs: 4 }, quick: { blocks: 1, pairs: 1 } };
/** The bars of docs/performance.md in milliseconds. The first one is the same as for 200 turns without reads. */
const MAX_LAG_P99 = 50;
const MAX_MORE_P50 = 1;

type Kind = 'alone' | 'with reads';

interface Window {
  readonly kind: Kind;
  /** The beginning of the window in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Opens one window after the other while the turns stream, so that both kinds of window see the same turns. */
const openWindows = async (
  kinds: readonly Kind[],
  read: () => Promise<ReadTimes>,
): Promise<{ windows: Window[]; outcomes: (number | null)[] }> => {
  const [windows, outcomes]: [Window[], (number | null)[]] = [[], []];
  await delay(msUntilTogether(TURNS));
  for (const kind of kinds) {
    const from = epochNow();
    if (kind === 'alone') await delay(WINDOW_MS);
    else outcomes.push(...(await read()));
    windows.push({ kind, from, to: from + WINDOW_MS });
    await delay(GAP_MS);
  }
  return { windows, outcomes };
};

const lagsIn = (windows: readonly Window[], kind: Kind, chunks: readonly TimedChunk[]): number[] => {
  const wanted = windows.filter((window) => window.kind === kind);
  const isIn = ({ sentAt }: TimedChunk) => wanted.some(({ from, to }) => sentAt >= from && sentAt < to);
  return chunks.filter(isIn).map(({ lag }) => lag);
};

export const traceReads: Figure = {
  name: 'trace-reads',
  title: `${READS_PER_SECOND} trace reads/s beside ${TURNS} turns at ${CHUNKS_PER_SECOND} chunks/s (ms)`,
  async measure({ isQuick, random, ground }) {
    const { model, orion } = await ground();
    const { blocks, pairs } = isQuick ? SIZE.quick : SIZE.full;
    await model.answerAll(endingAfter([{ text: 'Hello.' }]));
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await ask(orion, 'Hello?');
    await model.answerAll(answerLastingFor(TURNS, (2 * pairs + 1) * (WINDOW_MS + GAP_MS)));
    const reader = await TraceReader.start();
    const url = `${orion.baseUrl}/api/trace/logs?projectId=bench`;
    const read = () => reader.read({ url, perSecond: READS_PER_SECOND, milliseconds: WINDOW_MS });
    const lags: Record<Kind, number[]> = { alone: [], 'with reads': [] };
    const outcomes: (number | null)[] = [];
    await read();
    for (let block = 0; block < blocks; block += 1) {
      const kinds = Array.from({ length: pairs }, () =>
        shuffle<Kind>(['alone', 'with reads'], random),
      ).flat();
      const [chunks, opened] = await Promise.all([streamTurns(orion, TURNS), openWindows(kinds, read)]);
      for (const kind of ['alone', 'with reads'] as const) {
        lags[kind].push(...lagsIn(opened.windows, kind, chunks));
      }
      outcomes.push(...opened.outcomes);
    }
    reader.stop();
    const readTimes = outcomes.filter((time) => time !== null);
    const [alone, beside, reads] = [lags.alone, lags['with reads'], readTimes].map(summarize);
    if (!alone || !beside || !reads) throw new Error('trace-reads: nothing was measured');
    return {
      columns: ['what', ...SUMMARY_COLUMNS],
      rows: [
        summaryRow('chunk lag alone', alone),
        summaryRow('chunk lag with reads', beside),
        summaryRow('a read of 50 traces', reads),
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
          bar: MAX_LAG_P99,
          side: 'at most',
          unit: ' ms',
        },
        {
          what: 'chunk lag, with reads − alone, p50',
          value: beside.p50 - alone.p50,
          bar: MAX_MORE_P50,
          side: 'at most',
          unit: ' ms',
        },
      ],
    };
  },
};

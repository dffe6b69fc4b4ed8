import type { Client } from '@temporalio/client';
import type { Arm } from '../arms/arm.ts';
import { ask } from '../arms/ask.ts';
import { CHUNKS_PER_SECOND } from '../crowd.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { atMost, rounded } from '../report.ts';
import { summarize } from '../statistics.ts';

const TURNS = { full: 5, quick: 1 };
const SECONDS = { full: 20, quick: 3 };
/**
 * The bar of docs/performance.md in milliseconds: the longest pause between two durable batches plus the way to the
 * server.
 */
const BAR = 4_300;

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];

/** Returns when the server stored an event, in milliseconds since 1970. */
const storedAt = ({ eventTime }: HistoryEvent): number =>
  Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6;

/** Returns the text in an event: a batch that was signalled, or the last batch, which is in the activity's result. */
const textIn = (event: HistoryEvent): string =>
  [
    ...(event.workflowExecutionSignaledEventAttributes?.input?.payloads ?? []),
    ...(event.activityTaskCompletedEventAttributes?.result?.payloads ?? []),
  ]
    .map(({ data }) => Buffer.from(data ?? []).toString())
    .join('\n');

/**
 * Returns for each chunk the milliseconds from the provider to the history on the server, where it survives the death
 * of every process of Orion.
 */
const lagsIn = ({ events = [] }: History): number[] => {
  const lags = new Map<string, number>();
  for (const event of events ?? []) {
    for (const [mark, , sentAt] of textIn(event).matchAll(/#(\d+)@(\d+\.\d{3})/g)) {
      if (!lags.has(mark)) lags.set(mark, storedAt(event) - Number(sentAt));
    }
  }
  return [...lags.values()];
};

export const durability: Figure = {
  name: 'durability',
  title: 'Provider sends a chunk → it survives the loss of every process of ours (ms)',
  async measure({ isQuick, ground }) {
    const { model, temporal, arms } = await ground();
    const size = isQuick ? 'quick' : 'full';
    const chunks = SECONDS[size] * CHUNKS_PER_SECOND;
    await model.answerAll(endingAfter([{ chunks, perSecond: CHUNKS_PER_SECOND }]));
    const measured = arms.filter(({ name }) => name === 'orion' || name === 'polling');
    const lags = new Map<Arm['name'], number[]>();
    for (let turn = 0; turn < TURNS[size]; turn += 1) {
      for (const arm of measured) {
        const { id } = await ask(arm, 'Talk for a while.');
        const workflow = temporal.workflow.getHandle(arm.workflowId?.(id) ?? '');
        await workflow.result();
        lags.set(arm.name, [...(lags.get(arm.name) ?? []), ...lagsIn(await workflow.fetchHistory())]);
      }
    }
    const rows = [...lags].map(([name, values]) => {
      const { n, p50, p95, p99 } = summarize(values);
      return [name, String(n), ...[p50, p95, p99, Math.max(...values)].map(rounded)];
    });
    const orion = lags.get('orion') ?? [];
    return {
      columns: ['arm', 'N', 'p50', 'p95', 'p99', 'max'],
      rows,
      checks: [
        atMost('orion, longest', Math.max(...orion), BAR, ' ms'),
        atMost('orion, chunks that the history does not have', chunks * TURNS[size] - orion.length, 0),
      ],
    };
  },
};

import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { turnWorkflowId } from '../../../src/contracts/values/workflow-ids.ts';
import { temporalAddress } from '../../support/turn-worker.ts';

/** What Temporal keeps of a turn. */
export interface TurnHistory {
  /** Every byte of every event, with payloads decoded to text: all that somebody with access to the server can read. */
  readonly text: string;
  readonly eventTypes: readonly string[];
  /** The summaries of the activities, as the Web UI shows them. */
  readonly summaries: readonly string[];
  /** The activities that completed, in order, and the time in milliseconds that each one ran. */
  readonly activities: readonly { readonly type: string; readonly ranMs: number }[];
}

const decode = (data: Uint8Array | null | undefined): string => Buffer.from(data ?? []).toString('utf8');

/** Returns all texts and decoded bytes in a value, however deeply they are nested. */
const textsIn = (value: unknown): string => {
  if (value instanceof Uint8Array) return decode(value);
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textsIn).join('\n');
};

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

const millisecondsOf = ({ eventTime }: HistoryEvent): number =>
  Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000;

const completedActivities = (events: readonly HistoryEvent[]): TurnHistory['activities'] => {
  const byId = new Map(events.map((event) => [String(event.eventId), event]));
  return events.flatMap((event) => {
    const { scheduledEventId, startedEventId } = event.activityTaskCompletedEventAttributes ?? {};
    const scheduled = byId.get(String(scheduledEventId))?.activityTaskScheduledEventAttributes;
    const started = byId.get(String(startedEventId));
    if (!scheduled || !started) return [];
    return [
      { type: scheduled.activityType?.name ?? '', ranMs: millisecondsOf(event) - millisecondsOf(started) },
    ];
  });
};

/** Waits until a turn's workflow has ended, and reads its history from the Temporal server of the test run. */
export const readHistory = async (turnId: string): Promise<TurnHistory> => {
  const connection = await Connection.connect({ address: temporalAddress() });
  try {
    const handle = new Client({ connection }).workflow.getHandle(turnWorkflowId(turnId));
    // Readers see `done` before the activity that wrote it is in the history. A turn that failed has ended, too.
    await handle.result().catch(() => undefined);
    const { events } = await handle.fetchHistory();
    const list = events ?? [];
    return {
      text: list.map(textsIn).join('\n'),
      eventTypes: list.map(
        (event) => Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '',
      ),
      summaries: list.flatMap(({ userMetadata }) => {
        const summary = userMetadata?.summary?.data;
        return summary ? [JSON.parse(decode(summary)) as string] : [];
      }),
      activities: completedActivities(list),
    };
  } finally {
    await connection.close();
  }
};

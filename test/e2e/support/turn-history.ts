import { Client, Connection } from '@temporalio/client';
import { turnWorkflowId } from '../../../src/contracts/values/ids.ts';
import { temporalAddress } from '../../support/turn-worker.ts';

/** What Temporal keeps of a turn. */
export interface TurnHistory {
  /** Every byte of every event, with payloads decoded to text: all that somebody with access to the server can read. */
  readonly text: string;
  readonly eventTypes: readonly string[];
  /** The summaries of the activities, as the Web UI shows them. */
  readonly summaries: readonly string[];
}

const decode = (data: Uint8Array | null | undefined): string => Buffer.from(data ?? []).toString('utf8');

/** Returns all texts and decoded bytes in a value, however deeply they are nested. */
const textsIn = (value: unknown): string => {
  if (value instanceof Uint8Array) return decode(value);
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textsIn).join('\n');
};

/** Reads a turn's history from the Temporal server of the test run. */
export const readHistory = async (turnId: string): Promise<TurnHistory> => {
  const connection = await Connection.connect({ address: temporalAddress() });
  try {
    const { events } = await new Client({ connection }).workflow
      .getHandle(turnWorkflowId(turnId))
      .fetchHistory();
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
    };
  } finally {
    await connection.close();
  }
};

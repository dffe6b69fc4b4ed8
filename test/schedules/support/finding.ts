import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { turnWorkflowId } from '../../../src/contracts/values/workflow-ids.ts';
import { logLine } from '../../support/test-log.ts';
import type { PlayedTurn } from './scheduled-turn.ts';

/**
 * Writes all that is known of a turn in which something was wrong to the run's log: when the reader was shown what,
 * what is stored, what people were told, and Temporal's history. `port` is Temporal's.
 */
export const logFinding = async (port: number, played: PlayedTurn): Promise<void> => {
  const { plan, people, frames, fresh } = played;
  const shown = frames.map(({ at, id, data }) => ({ at: wallTime(at), id, data }));
  logLine(`finding of seed ${plan.seed}: ${JSON.stringify({ plan, shown, fresh, people }, null, 1)}`);
  logLine(`its history: ${await historyOf(port, plan.turnId).catch(String)}`);
};

const historyOf = async (port: number, turnId: string): Promise<string> => {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    const { workflow } = new Client({ connection });
    return historyToJSON(await workflow.getHandle(turnWorkflowId(turnId)).fetchHistory());
  } finally {
    await connection.close();
  }
};

const wallTime = (at: number): string => new Date(performance.timeOrigin + at).toISOString();

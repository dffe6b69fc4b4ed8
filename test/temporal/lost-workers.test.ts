/** Covers a worker process that has ended: all that it ran goes on at once, however much that was. */
import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { recoverLostWork } from '../../src/temporal/lost-workers.ts';
import { partOf } from '../support/part-of.ts';

/**
 * Returns the part of a Temporal server that is called, with `count` workflows that each run one activity of
 * `identity`.
 */
const serverWith = (count: number, identity: string) => {
  const failed: string[] = [];
  const client = {
    options: { namespace: 'default' },
    workflowService: {
      listWorkflowExecutions: ({
        pageSize,
        nextPageToken,
      }: {
        pageSize: number;
        nextPageToken?: Uint8Array;
      }) => {
        const from = nextPageToken ? Number(Buffer.from(nextPageToken).toString()) : 0;
        const ids = Array.from({ length: Math.min(pageSize, count - from) }, (_, i) => `w${from + i}`);
        const next = from + ids.length;
        return Promise.resolve({
          executions: ids.map((id) => ({ execution: { workflowId: id, runId: `${id}-run` } })),
          nextPageToken: next < count ? Buffer.from(String(next)) : Buffer.alloc(0),
        });
      },
      getWorkflowExecutionHistoryReverse: () => Promise.resolve({ history: { events: [] } }),
      shutdownWorker: () => Promise.resolve({}),
      describeWorkflowExecution: () =>
        Promise.resolve({ pendingActivities: [{ activityId: 'a', lastWorkerIdentity: identity, state: 2 }] }),
    },
    activity: {
      fail: ({ workflowId }: { workflowId: string }) => {
        failed.push(workflowId);
        return Promise.resolve();
      },
    },
  };
  return { client: partOf<Client>(client), failed };
};

describe('recoverLostWork', () => {
  it('takes every page of running workflows, and none twice', async () => {
    const identity = 'worker-1';
    const { client, failed } = serverWith(1_300, identity);
    const seen = new Set<string>();
    const lost = { taskQueue: 'q', findLost: () => new Set([identity]) };
    await expect(recoverLostWork(lost, client, seen)).resolves.toBe(1_300);
    expect(new Set(failed).size).toBe(1_300);
    await expect(recoverLostWork(lost, client, seen)).resolves.toBe(0);
  });

  it('asks which workers have ended only after it has seen which are at work, and fails no task of the others', async () => {
    const { client, failed } = serverWith(3, 'worker-1');
    const asked: string[][] = [];
    const findLost = (identities: ReadonlySet<string>) => {
      asked.push([...identities]);
      return new Set<string>();
    };
    await expect(recoverLostWork({ taskQueue: 'q', findLost }, client, new Set())).resolves.toBe(0);
    expect(asked).toEqual([['worker-1']]);
    expect(failed).toEqual([]);
  });
});

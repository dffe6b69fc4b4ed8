/** Covers a worker process that has ended: all that it ran goes on at once, however much that was. */
import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { recoverLostWork } from '../../src/temporal/lost-work-recovery.ts';
import { partOf } from '../support/part-of.ts';

/**
 * Returns the part of a Temporal server that is called, with `count` workflows that each run one activity of
 * `identity`.
 */
const serverWith = (count: number, identity: string) => {
  const failed: string[] = [];
  /** Workflows whose look-up is refused. */
  const refused = new Set<string>();
  let underWay = 0;
  let mostUnderWay = 0;
  const describeWorkflow = async (workflowId: string): Promise<object> => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    await nextLoopIteration();
    underWay -= 1;
    if (refused.has(workflowId)) throw new Error(`${workflowId} is refused`);
    return { pendingActivities: [{ activityId: 'a', lastWorkerIdentity: identity, state: 2 }] };
  };
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
      describeWorkflowExecution: ({ execution }: { execution: { workflowId: string } }) =>
        describeWorkflow(execution.workflowId),
    },
    activity: {
      fail: ({ workflowId }: { workflowId: string }) => {
        failed.push(workflowId);
        return Promise.resolve();
      },
    },
  };
  return { client: partOf<Client>(client), failed, refused, mostUnderWay: () => mostUnderWay };
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

  it('looks at no more than 50 workflows at once', async () => {
    const { client, mostUnderWay } = serverWith(300, 'worker-1');
    await recoverLostWork({ taskQueue: 'q', findLost: () => new Set<string>() }, client, new Set());
    expect(mostUnderWay()).toBe(50);
  });

  it('handles all other workflows when the look at one has failed, and takes that one the next time', async () => {
    const identity = 'worker-1';
    const { client, failed, refused } = serverWith(3, identity);
    refused.add('w1');
    const seen = new Set<string>();
    const lost = { taskQueue: 'q', findLost: () => new Set([identity]) };
    await expect(recoverLostWork(lost, client, seen)).rejects.toThrow('w1 is refused');
    expect(failed).toEqual(['w0', 'w2']);
    refused.clear();
    await expect(recoverLostWork(lost, client, seen)).resolves.toBe(1);
    expect(failed).toEqual(['w0', 'w2', 'w1']);
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

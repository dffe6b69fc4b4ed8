/**
 * Covers the compaction of a branch on a real server: it is started once, goes step by step, and is never started
 * again.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import type { CompactInput, CompactReport } from '../../src/contracts/payload/compact-payloads.ts';
import { compactWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import { createStartCompaction } from '../../src/turn-service/start-compaction.ts';
import { TurnWorker } from '../support/turn-worker.ts';
import { scriptedCompaction } from './support/recorded-compactions.ts';

let worker: TurnWorker | undefined;
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

/** Every caller may claim a compaction here; the ones that are abandoned are kept. */
const createClaims = () => {
  const abandoned: string[] = [];
  const claims = {
    claim: (wanted: CompactInput) => Promise.resolve(wanted),
    abandon: (turnId: string) => Promise.resolve(void abandoned.push(turnId)),
  };
  return { abandoned, claims };
};

const more = { kind: 'more', turns: 12, tokens: 1_800 } as const;
const ready = { kind: 'ready', turns: 20, tokens: 1_900 } as const;

/** Starts a worker, and returns what starts the compaction of a turn there. */
const open = async (...steps: (CompactReport | Error)[]) => {
  const script = scriptedCompaction(...steps);
  worker = await TurnWorker.start(script.activities);
  const turnId = randomUUID();
  const warnings: string[] = [];
  const { abandoned, claims } = createClaims();
  const start = createStartCompaction(
    {
      client: worker.client,
      taskQueue: worker.taskQueue,
      findTurnsToSummarise: (leafTurnId) => Promise.resolve({ turnId, leafTurnId }),
      claims,
    },
    { warn: (_fields: object, message: string) => void warnings.push(message) },
  );
  return {
    ...script,
    abandoned,
    warnings,
    start,
    handle: worker.client.workflow.getHandle(compactWorkflowId(turnId)),
  };
};

describe('a compaction', () => {
  it('takes steps until it is ready, whatever is lost in between, and is never begun again', async () => {
    const lost = new Error('the worker is lost');
    const { start, handle, left, warnings, abandoned } = await open(more, lost, more, ready, ready);
    await Promise.all([start('leaf-1'), start('leaf-1'), start('leaf-2')]);
    expect(await handle.result()).toEqual(ready);
    await start('leaf-3');
    expect(left).toEqual([ready]);
    expect(warnings).toEqual([]);
    expect(abandoned).toEqual([]);
  });

  it('that fails for good has what was lost settled', async () => {
    const broken = ApplicationFailure.nonRetryable('expected a summary', 'broken');
    const { start, handle, ended } = await open(more, broken);
    await start('leaf');
    await expect(handle.result()).rejects.toThrow('Workflow execution failed');
    expect((await handle.describe()).status.name).toBe('FAILED');
    expect(ended).toEqual(['leaf']);
  });

  it.each(['gone', 'over_budget', 'failed', 'useless'] as const)('%s ends', async (kind) => {
    const { start, handle, left } = await open({ kind, turns: 0, tokens: 0 }, ready);
    await start('leaf');
    expect(await handle.result()).toEqual({ kind, turns: 0, tokens: 0 });
    expect(left).toEqual([ready]);
  });

  it('of a branch that cannot be looked at is not begun, and the turn nevertheless ends', async () => {
    const warnings: string[] = [];
    worker = await TurnWorker.start({});
    const start = createStartCompaction(
      {
        client: worker.client,
        taskQueue: worker.taskQueue,
        findTurnsToSummarise: () => Promise.reject(new Error('the database is away')),
        claims: createClaims().claims,
      },
      { warn: (_fields: object, message: string) => void warnings.push(message) },
    );
    await start('leaf');
    expect(warnings).toEqual(['earlier turns are not summarised']);
  });
});

/**
 * Stored histories of earlier workflow shapes must replay: a running turn survives a deploy. Those named `running`
 * were stored while a tool ran.
 */
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { quietRuntime } from '../support/turn-worker.ts';

const root = fileURLToPath(new URL('./histories/', import.meta.url));
const stored = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.json'),
);
const history = (path: string) => historyFromJSON(JSON.parse(readFileSync(root + path, 'utf8')) as object);

describe('stored histories', () => {
  it('are there', () => {
    expect(stored.length).toBeGreaterThanOrEqual(10);
  });

  it('replay with the current workflow code', async () => {
    quietRuntime();
    const workflowBundle = { codePath: process.env['ORION_TEST_WORKFLOW_BUNDLE'] ?? '' };
    const histories = stored.map((path) => ({ workflowId: path, history: history(path) }));
    const failures: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
      if (error) failures.push(`${workflowId}: ${error.message}`);
    }
    expect(failures).toEqual([]);
  });

  it('would not replay with another order of port calls: the check can fail', async () => {
    quietRuntime();
    const workflowBundle = { codePath: process.env['ORION_TEST_WORKFLOW_BUNDLE'] ?? '' };
    const changed = history('revision-1/two-tools.json');
    for (const event of changed.events ?? []) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.activityType?.name === 'executeTool') scheduled.activityType.name = 'anotherActivity';
    }
    await expect(Worker.runReplayHistory({ workflowBundle }, changed)).rejects.toThrow(/nondeterminism/i);
  });
});

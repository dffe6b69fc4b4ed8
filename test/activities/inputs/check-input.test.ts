/** An `edit` approves the file that was shown, and no other state of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createCheckInput } from '../../../activities/inputs/input-activities.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { createWorkspaceTools } from '../../../src/tools/workspace/workspace-tools.ts';
import { previewCall } from '../../../src/tools/run/preview-call.ts';
import { createToolRegistry, type ToolRegistry } from '../../../src/tools/registry.ts';
import { toolCall } from '../../support/fake-ports.ts';
import { RUN_ID } from '../support/activity-inputs.ts';

let root: string;
let workspace: Workspace;
let registry: ToolRegistry;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'orion-check-'));
  workspace = await openWorkspace({ root, hasProjectFolders: false });
  registry = createToolRegistry(createWorkspaceTools(workspace));
  writeFileSync(join(root, 'a.md'), 'v1');
});
afterEach(async () => {
  await workspace.close();
  rmSync(root, { recursive: true });
});

const scope = { projectId: 'p', mode: 'act' } as const;
const write = (path: string, content: string) => toolCall('FileSystemTool_write_to_file', { path, content });
const hashOf = async (call: ReturnType<typeof write>): Promise<string> => {
  const preview = await previewCall(registry, call, scope);
  if (!preview.ok) throw new Error(preview.error);
  return preview.argsHash;
};
const check = (call: ReturnType<typeof write>, argsHash: string): Promise<unknown> =>
  new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'turn/t', runId: RUN_ID } },
    { logger: new DefaultLogger('ERROR') },
  ).run(createCheckInput(registry), {
    turnId: 't',
    firstExecutionRunId: RUN_ID,
    ...scope,
    call,
    asked: { call: write('a.md', 'asked'), argsHash },
  });

it('passes other arguments while the file is as it was shown', async () => {
  const edited = write('a.md', 'edited');
  const shown = await hashOf(write('a.md', 'asked'));
  expect(await check(edited, shown)).toEqual({ kind: 'passes', argsHash: await hashOf(edited) });
  expect(await check(write('../a.md', ''), shown)).toMatchObject({ kind: 'failed' });
});

it('does not pass them once the file is another, or cannot be looked at', async () => {
  const shown = await hashOf(write('a.md', 'asked'));
  writeFileSync(join(root, 'a.md'), 'v2');
  expect(await check(write('a.md', 'edited'), shown)).toEqual({ kind: 'changed' });
  expect(await check(write('b.md', 'edited'), shown)).toEqual({ kind: 'changed' });
  rmSync(join(root, 'a.md'));
  expect(await check(write('b.md', 'edited'), shown)).toEqual({ kind: 'changed' });
});

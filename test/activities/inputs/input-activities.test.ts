/** Checks the activities of input requests over the tools of a real workspace. */
import { afterEach, beforeEach } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import {
  createInputActivities,
  type InputActivityDeps,
} from '../../../activities/inputs/input-activities.ts';
import type { InputRepository } from '../../../src/db/inputs/input-repository.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { createWorkspaceTools } from '../../../src/tools/workspace/workspace-tools.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { partOf } from '../../support/part-of.ts';
import { RUN_ID } from '../support/activity-inputs.ts';
import { describeInputActivities } from '../support/input-activities-contract.ts';

let root: string;
let workspace: Workspace;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'orion-inputs-'));
  workspace = await openWorkspace({ root, hasProjectFolders: false });
  writeFileSync(join(root, 'a.md'), 'v1\n');
});
afterEach(async () => {
  await workspace.close();
  rmSync(root, { recursive: true });
});

/** Keeps rows as the repository returns them. `describeInputLists` and `test/db/inputs` cover the repository itself. */
const inputs = partOf<InputRepository>({
  prepare: ({ request, argsHash, diff }) => Promise.resolve({ request, argsHash, diff }),
  open: () => Promise.resolve('open'),
});

describeInputActivities('over a workspace', () => {
  const change = { argsHash: 'a'.repeat(64), diff: '-v1\n+x\n', before: 'b'.repeat(64) };
  const activities = createInputActivities(
    partOf<InputActivityDeps>({
      registry: createToolRegistry(createWorkspaceTools(workspace)),
      inputs,
      previewCommit: () => Promise.resolve({ ok: true, target: 'a.md', ...change }),
    }),
  );
  const run = <Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> =>
    new MockActivityEnvironment(
      { workflowExecution: { workflowId: 'turn/turn-1', runId: RUN_ID } },
      { logger: new DefaultLogger('ERROR') },
    ).run(activity, input) as Promise<Output>;
  return {
    prepareInput: (input) => run(activities.prepareInput, input),
    checkInput: (input) => run(activities.checkInput, input),
    announceInput: (input) => run(activities.announceInput, input),
  };
});

/** Tests commit and close of a write session over Postgres, content store and files, as its workflow calls them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import {
  createCloseWriteSession,
  createCommitWrite,
} from '../../../activities/write-session/write-session-activities.ts';
import { createWriteSessionRepository } from '../../../src/db/write-sessions/write-session-repository.ts';
import { createCommitter } from '../../../src/files/commit/committer.ts';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { openContentStore } from '../../../src/files/content-store/file-content-store.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { sessionInput } from '../../support/scripted-session.ts';
import { describeSessionActivities } from '../../support/session-activities-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

const RUN_ID = 'first-run';

let folder: string;
let database: TestDatabase;
let workspace: Workspace;
let contents: ContentStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orion-activities-'));
  database = await createTestDatabase();
  workspace = await openWorkspace({ root: join(folder, 'root'), hasProjectFolders: false });
  contents = await openContentStore({ dataDir: join(folder, 'data'), maxBytes: 1_000 });
});
afterAll(async () => {
  await workspace.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const bytesOf = async function* (text: string) {
  yield Buffer.from(text);
};

/** Runs an activity as Temporal does in the first run of a session. */
const inActivity =
  <Input, Output>(activity: (input: Input) => Promise<Output>) =>
  (input: Input): Promise<Output> =>
    new MockActivityEnvironment(
      { workflowExecution: { workflowId: 'w', runId: RUN_ID }, heartbeatTimeoutMs: 30_000 },
      { logger: new DefaultLogger('ERROR') },
    ).run(activity, input);

describeSessionActivities('over Postgres and files', () => {
  const repository = createWriteSessionRepository(database.db);
  const committer = createCommitter({ workspace, contents, sessions: repository });
  const deps = { repository, committer, pingTemporal: () => Promise.resolve() };
  const begin = async (operation: 'create' | 'append') => {
    const input = sessionInput({ operation });
    const targetFile = `${input.sessionId}.md`;
    const targetKey = await workspace.resolveTargetKey(input.projectId, targetFile);
    await repository.insert({ ...input, targetFile }, { targetKey, maxConcurrent: 100 });
    return { sessionId: input.sessionId, firstExecutionRunId: RUN_ID };
  };
  return {
    activities: {
      commitWrite: inActivity(createCommitWrite(deps)),
      closeWriteSession: inActivity(createCloseWriteSession(deps)),
    },
    begin: () => begin('create'),
    // The target does not exist, so there is nothing to append to.
    beginThatFailsToCommit: () => begin('append'),
    store: async (sessionId, text) => {
      const outcome = await contents.put(sessionId, bytesOf(text));
      if (outcome.kind !== 'stored') throw new Error(`expected stored, received ${outcome.kind}`);
      return outcome.content;
    },
    draft: async (sessionId, text) => {
      await contents.drafts.append(sessionId, 0, bytesOf(text));
      return contentRefOf(text);
    },
  };
});

import type { Client } from '@temporalio/client';
import type { ServiceConfig } from '../src/config/config.ts';
import type { ToolCall } from '../src/contracts/tools/tool-call.ts';
import type { Database } from '../src/db/connection/database.ts';
import { createWriteSessionRepository } from '../src/db/write-sessions/write-session-repository.ts';
import { createWriteSessions } from '../src/write-session-service/write-sessions.ts';
import { createCommitter } from '../src/files/commit/committer.ts';
import { openContentStore } from '../src/files/content-store/file-content-store.ts';
import type { Workspace } from '../src/files/workspace/workspace.ts';
import { previewCommit } from '../src/write-session-service/preview-commit.ts';
import { createWritePlanBeginTool } from '../src/write-session-service/write-plan-begin.ts';
import { withSessionTraces } from '../src/trace/session-traces.ts';
import type { TraceRecorder } from '../src/trace/trace-recorder.ts';
import { unavailableServerOf } from '../src/turn-service/unavailable.ts';
import type { CommitSubject } from '../src/contracts/inputs/input-request.ts';

/** The parts over which a worker builds its write sessions. */
export interface ComposeWritingDeps {
  readonly config: ServiceConfig;
  readonly db: Database;
  readonly client: Client;
  /** Resolves to true if the namespace has Orion's search attributes. Rejects while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  readonly workspace: Workspace;
  readonly traces: TraceRecorder;
}

/** Builds the parts that begin write sessions and bring their content into the workspace. */
export const composeWriting = async (deps: ComposeWritingDeps) => {
  const { config, db, client, hasSearchAttributes, workspace, traces } = deps;
  const { maxContentBytes: maxBytes, ...settings } = config.writeSessions;
  const contents = await openContentStore({ dataDir: config.dataDir, maxBytes });
  const repository = withSessionTraces(createWriteSessionRepository(db), traces);
  const committer = createCommitter({ workspace, contents, sessions: repository });
  const writeSessions = createWriteSessions({
    client,
    repository,
    committer,
    settings,
    hasSearchAttributes,
    taskQueue: config.temporal.taskQueue,
    resolveTargetKey: (projectId, targetFile) => workspace.resolveTargetKey(projectId, targetFile),
  });
  const beginTool = createWritePlanBeginTool({
    writeSessions,
    isUnavailable: (error) => unavailableServerOf(error) !== undefined,
  });
  return {
    previewCommit: (call: ToolCall, subject: CommitSubject) =>
      previewCommit({ repository, contents, workspace }, call, subject),
    contents,
    repository,
    committer,
    writeSessions,
    beginTool,
    sessionInactivityMs: settings.inactivityTimeoutMs,
  };
};

import type { ServiceConfig } from '../../config/config.ts';
import type { Database } from '../../db/connection/database.ts';
import {
  createWriteSessionRepository,
  type WriteSessionRepository,
} from '../../db/write-sessions/write-session-repository.ts';
import { createCommitter } from '../../files/commit/committer.ts';
import type { ContentStore } from '../../files/content-store/content-store.ts';
import { openContentStore } from '../../files/content-store/file-content-store.ts';
import { currentText, type CurrentText } from '../../files/workspace/current-text.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { openConfiguredWorkspace } from '../../files/workspace/open-workspace.ts';
import type { TemporalClient } from '../../temporal/temporal-client.ts';
import { withSessionTraces } from '../../trace/session-traces.ts';
import type { TraceRecorder } from '../../trace/trace-recorder.ts';
import { createWriteSessions } from '../../write-session-service/write-sessions.ts';
import type { WriteSessionParts } from '../write-session/write-session-parts.ts';

/**
 * The files that gateways and workers share. A gateway stores content, finds targets, undoes writes, and closes
 * sessions whose workflow is gone. Only workers commit content.
 */
export interface SessionFiles {
  readonly contents: ContentStore;
  readonly workspace: Workspace;
}

type FileSettings = Pick<ServiceConfig, 'dataDir' | 'workspace' | 'hasProjectFolders' | 'writeSessions'>;

/** Opens the content store and the workspace of the configuration. Makes directories that are missing. */
export const openSessionFiles = async (config: FileSettings): Promise<SessionFiles> => ({
  contents: await openContentStore({
    dataDir: config.dataDir,
    maxBytes: config.writeSessions.maxContentBytes,
  }),
  workspace: await openConfiguredWorkspace(config),
});

/** The parts over which the service of write sessions is built. */
export interface ComposeWriteSessionsDeps extends SessionFiles {
  readonly config: ServiceConfig;
  readonly db: Database;
  readonly temporal: TemporalClient;
  readonly hasSearchAttributes: () => Promise<boolean>;
  readonly traces: TraceRecorder;
}

/** Wires the service of write sessions to the gateway's stores and its Temporal client. */
export const composeWriteSessions = (
  deps: ComposeWriteSessionsDeps,
): WriteSessionParts & Pick<WriteSessionRepository, 'withFreeTarget'> => {
  const { config, db, temporal, contents, workspace, hasSearchAttributes, traces } = deps;
  const { maxContentBytes, ...settings } = config.writeSessions;
  const repository = withSessionTraces(createWriteSessionRepository(db), traces);
  const writeSessions = createWriteSessions({
    client: temporal.client,
    repository,
    committer: createCommitter({ workspace, contents, sessions: repository }),
    taskQueue: config.temporal.taskQueue,
    settings,
    hasSearchAttributes,
    resolveTargetKey: (projectId, targetFile) => workspace.resolveTargetKey(projectId, targetFile),
  });
  const readTargetBytes = (projectId: string, targetFile: string): Promise<number | null> =>
    workspace.readTargetBytes(projectId, targetFile);
  const readTargetText = async (projectId: string, targetFile: string): Promise<CurrentText> =>
    currentText(await workspace.readTargetBefore(projectId, targetFile));
  const { withFreeTarget } = repository;
  return {
    writeSessions,
    repository,
    contents,
    readTargetBytes,
    readTargetText,
    maxContentBytes,
    withFreeTarget,
  };
};

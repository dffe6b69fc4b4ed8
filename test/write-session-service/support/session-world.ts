import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCloseWriteSession,
  createCommitWrite,
} from '../../../activities/write-session/write-session-activities.ts';
import type { ContentRef } from '../../../src/contracts/write-session/write-session.ts';
import { writeSessionWorkflowId } from '../../../src/contracts/values/workflow-ids.ts';
import { createTraceRepository } from '../../../src/db/turns/trace-repository.ts';
import {
  createWriteSessionRepository,
  type WriteSessionRepository,
} from '../../../src/db/write-sessions/write-session-repository.ts';
import type { WriteSessionRow } from '../../../src/db/write-sessions/write-session-row.ts';
import type { BeginDeps, BeginRequest } from '../../../src/write-session-service/begin-session.ts';
import {
  createWriteSessions,
  type WriteSessions,
} from '../../../src/write-session-service/write-sessions.ts';
import { createCommitter, type Committer } from '../../../src/files/commit/committer.ts';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { openContentStore } from '../../../src/files/content-store/file-content-store.ts';
import type { WriteSessionParts } from '../../../src/gateway/write-session/write-session-parts.ts';
import { withSessionTraces } from '../../../src/trace/session-traces.ts';
import { createTraceRecorder } from '../../../src/trace/trace-recorder.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { TurnWorker } from '../../support/turn-worker.ts';
import { WatchedStatements } from '../../support/watched-statements.ts';

type Commit = Committer['commit'];
type EndCommitted = WriteSessionRepository['endCommitted'];

interface Parts {
  readonly database: TestDatabase;
  readonly directory: string;
  readonly workspace: Workspace;
  readonly contents: ContentStore;
}

const NO_LOG = { warn: () => undefined };

/** Write sessions over real Temporal, Postgres, content store and workspace. */
export class SessionWorld {
  readonly worker: TurnWorker;
  readonly deps: BeginDeps & { readonly committer: Committer };
  readonly sessions: WriteSessions;
  readonly #parts: Parts;

  private constructor(parts: Parts, worker: TurnWorker, deps: SessionWorld['deps']) {
    this.#parts = parts;
    this.worker = worker;
    this.deps = deps;
    this.sessions = createWriteSessions(deps);
  }

  /** Opens a world in which `held` lets the test hold commits. */
  static async open(
    options: {
      readonly held?: HeldCommits;
      readonly maxConcurrent?: number;
      /** Called for every statement that goes to Postgres, as in `update write_sessions`. */
      readonly watch?: (statement: string) => void;
    } = {},
  ): Promise<SessionWorld> {
    const directory = await mkdtemp(join(tmpdir(), 'orion-sessions-'));
    const database = await createTestDatabase();
    const root = join(directory, 'workspace');
    const workspace = await openWorkspace({ root, hasProjectFolders: false });
    const contents = await openContentStore({ dataDir: directory, maxBytes: 1_000_000 });
    const db = options.watch ? database.db.withPlugin(new WatchedStatements(options.watch)) : database.db;
    const traces = createTraceRecorder({ repository: createTraceRepository(db), log: NO_LOG });
    const rows = createWriteSessionRepository(db);
    const { held } = options;
    const repository = withSessionTraces(
      { ...rows, endCommitted: held?.beforeTheEnd(rows.endCommitted) ?? rows.endCommitted },
      traces,
    );
    const committer = createCommitter({ workspace, contents, sessions: repository });
    const commit = held?.beforeTheAttempt(committer.commit) ?? committer.commit;
    const worker = await TurnWorker.start({
      commitWrite: createCommitWrite({
        committer: { ...committer, commit },
        repository,
        pingTemporal: () => Promise.resolve(),
      }),
      closeWriteSession: createCloseWriteSession({ repository, committer }),
    });
    return new SessionWorld({ database, directory, workspace, contents }, worker, {
      client: worker.client,
      repository,
      committer,
      taskQueue: worker.taskQueue,
      settings: { inactivityTimeoutMs: 300_000, maxConcurrent: options.maxConcurrent ?? 1 },
      hasSearchAttributes: () => Promise.resolve(false),
      resolveTargetKey: (projectId, targetFile) => workspace.resolveTargetKey(projectId, targetFile),
    });
  }

  begin(fields: Partial<BeginRequest> = {}, sessions = this.sessions) {
    return sessions.begin({
      sessionId: randomUUID(),
      projectId: 'project',
      targetFile: 'docs/big.md',
      operation: 'overwrite',
      intent: '',
      ...fields,
    });
  }

  /** Resolves to the id of a session that has begun. */
  async beginSession(fields: Partial<BeginRequest> = {}): Promise<string> {
    const outcome = await this.begin(fields);
    if (outcome.kind !== 'begun') throw new Error(`expected begun, received ${outcome.kind}`);
    return outcome.row.sessionId;
  }

  async stored(sessionId: string, text: string): Promise<ContentRef> {
    const outcome = await this.#parts.contents.put(
      sessionId,
      (async function* () {
        yield Buffer.from(text);
      })(),
    );
    if (outcome.kind !== 'stored') throw new Error(`expected stored, received ${outcome.kind}`);
    return outcome.content;
  }

  /** Stores a text as the draft of a session. */
  draft(sessionId: string, text: string) {
    const source = (async function* () {
      yield Buffer.from(text);
    })();
    return this.#parts.contents.drafts.append(sessionId, 0, source);
  }

  /** Resolves to the ids of the sessions that have a draft. */
  drafts(): Promise<string[]> {
    return readdir(join(this.#parts.directory, 'content', 'drafts'));
  }

  /** Resolves to the names of the contents that are stored. */
  async contents(): Promise<string[]> {
    const folder = join(this.#parts.directory, 'content');
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** The parts that the routes of write sessions need. */
  get gatewayParts(): WriteSessionParts {
    const { contents } = this.#parts;
    const readTargetBytes = () => Promise.resolve(null);
    const readTargetText = () => Promise.resolve({ text: null });
    return {
      writeSessions: this.sessions,
      repository: this.deps.repository,
      contents,
      readTargetBytes,
      readTargetText,
      maxContentBytes: 1_000_000,
    };
  }

  /** The path of the workspace. */
  get workspaceRoot(): string {
    return join(this.#parts.directory, 'workspace');
  }

  /** Resolves to the text of a file of the workspace; undefined when there is none. */
  file(path = 'docs/big.md'): Promise<string | undefined> {
    return readFile(join(this.workspaceRoot, path), 'utf8').catch(() => undefined);
  }

  async row(sessionId: string): Promise<WriteSessionRow> {
    const row = await this.deps.repository.find(sessionId);
    if (!row) throw new Error(`no row of session ${sessionId}`);
    return row;
  }

  workflow(sessionId: string) {
    return this.worker.client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  }

  get database(): TestDatabase {
    return this.#parts.database;
  }

  async close(): Promise<void> {
    await this.worker.stop();
    await this.#parts.workspace.close();
    await this.#parts.database.close();
    await rm(this.#parts.directory, { recursive: true, force: true });
  }
}

/** Commits that can be held before they begin, or after they have written. */
export class HeldCommits {
  /** The place at which commits wait until `release`; undefined when they do not wait. */
  where: 'before' | 'after' | undefined;
  #release = (): void => undefined;
  #arrived = (): void => undefined;
  #held = new Promise<void>(() => undefined);
  /** Resolves when a commit waits. */
  arrival = new Promise<void>(() => undefined);

  hold(where: 'before' | 'after'): void {
    this.where = where;
    this.#held = new Promise((resolve) => (this.#release = resolve));
    this.arrival = new Promise((resolve) => (this.#arrived = resolve));
  }

  release(): void {
    this.where = undefined;
    this.#release();
  }

  beforeTheAttempt =
    (commit: Commit): Commit =>
    async (...args) => {
      if (this.where === 'before') await this.#wait();
      return commit(...args);
    };

  /** At this moment the target is written, and no row says so. */
  beforeTheEnd =
    (end: EndCommitted): EndCommitted =>
    async (...args) => {
      if (this.where === 'after') await this.#wait();
      return end(...args);
    };

  async #wait(): Promise<void> {
    this.#arrived();
    await this.#held;
  }
}

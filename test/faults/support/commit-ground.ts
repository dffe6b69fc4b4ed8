import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WriteOperation } from '../../../src/contracts/write-session/write-session.ts';
import type { WriteSessionInput } from '../../../src/contracts/payload/session-workflow-payloads.ts';
import type { CommitWriteInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import type { Database } from '../../../src/db/connection/database.ts';
import {
  createWriteSessionRepository,
  type WriteSessionRepository,
} from '../../../src/db/write-sessions/write-session-repository.ts';
import { createCommitter, type Committer } from '../../../src/files/commit/committer.ts';
import { openContentStore } from '../../../src/files/content-store/file-content-store.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { CommittingProcess } from './committing-process.ts';

/** One way to commit. */
export interface Scenario {
  readonly operation: WriteOperation;
  /** What the target contains at first. */
  readonly before?: string;
  readonly content: string;
  readonly after: string;
  /** Whether the content is the session's draft. */
  readonly isFromDraft: boolean;
  /** Whether the stored content also belongs to another target, so that the file cannot be moved to this one. */
  readonly isShared?: boolean;
  /** Whether a person has approved the commit over what the target contains at first. */
  readonly isApproved?: boolean;
}

export interface Begun {
  readonly input: CommitWriteInput;
  /** The absolute path of the target. */
  readonly target: string;
}

/**
 * These timeouts, in milliseconds, are longer than any sleep: a process that wakes up must not take its own sleep for a
 * slow server.
 */
const LONG_TIMEOUTS = { queryTimeoutMs: 60_000, connectTimeoutMs: 60_000 };

/** The workspace, content store and rows that this process and a child share. */
export interface CommitGround {
  readonly repository: WriteSessionRepository;
  readonly committer: Committer;
  begin(scenario: Scenario): Promise<Begun>;
  /** Begins another session on the target of `begun`, if it can begin now. */
  beginAgain(begun: Begun, content: string): Promise<CommitWriteInput | undefined>;
  startProcess(): Promise<CommittingProcess>;
  close(): Promise<void>;
}

export const openCommitGround = async (): Promise<CommitGround> => {
  const database = await createTestDatabase(LONG_TIMEOUTS);
  const base = await mkdtemp(join(tmpdir(), 'orion-commit-'));
  const places = { databaseUrl: database.url, root: join(base, 'root'), dataDir: join(base, 'data') };
  const repository = createWriteSessionRepository(database.db);
  const workspace = await openWorkspace({ root: places.root, hasProjectFolders: false });
  const contents = await openContentStore({ dataDir: places.dataDir, maxBytes: 10_000_000 });
  const committer = createCommitter({ workspace, contents, sessions: repository });
  let slot = 0;
  const source = async function* (text: string) {
    yield Buffer.from(text);
  };
  return {
    repository,
    committer,
    async begin({ operation, before, content, isFromDraft, isShared = false, isApproved = false }) {
      const [sessionId, runId] = [randomUUID(), randomUUID()];
      const targetFile = `${sessionId}/deep/file.md`;
      const target = join(places.root, targetFile);
      if (before !== undefined) await writeOld(target, before);
      const key = await workspace.resolveTargetKey('p', targetFile);
      const asked = { sessionId, projectId: 'p', targetFile, operation, intent: '' };
      slot += 1;
      await insertRow(database.db, {
        targetKey: key,
        slot,
        input: { revision: 1, ...asked, inactivityTimeoutMs: 1_000, searchAttributes: false },
      });
      const input = { sessionId, firstExecutionRunId: runId };
      if (isFromDraft) {
        await contents.drafts.append(sessionId, 0, source(content));
        return { input, target };
      }
      const stored = await contents.put(sessionId, source(content));
      if (stored.kind !== 'stored') throw new Error(`expected stored content, received ${stored.kind}`);
      if (isShared) await contents.link(sessionId, stored.content.sha256, join(base, sessionId));
      const shown = before === undefined ? null : contentRefOf(before).sha256;
      const approval = isApproved && { approval: { inputId: 'turn/1', before: shown } };
      return { input: { ...input, content: stored.content, ...approval }, target };
    },
    async beginAgain({ input }, content) {
      const session = await repository.find(input.sessionId);
      if (!session) throw new Error('there is no session to begin after');
      const again: WriteSessionInput = { ...session.input, sessionId: randomUUID(), operation: 'overwrite' };
      const { kind } = await repository.insert(again, {
        targetKey: session.targetKey,
        maxConcurrent: 10_000,
      });
      if (kind !== 'inserted') return undefined;
      const stored = await contents.put(again.sessionId, source(content));
      if (stored.kind !== 'stored') throw new Error(`expected stored content, received ${stored.kind}`);
      return { sessionId: again.sessionId, firstExecutionRunId: randomUUID(), content: stored.content };
    },
    startProcess: () => CommittingProcess.start(places),
    async close() {
      await workspace.close();
      await database.close();
      await rm(base, { recursive: true, force: true });
    },
  };
};

/** Inserts the row of a session in a slot of its own, because the limit of sessions is not tested here. */
const insertRow = async (
  db: Database,
  { input, targetKey, slot }: { input: WriteSessionInput; targetKey: string; slot: number },
): Promise<void> => {
  await db
    .insertInto('write_sessions')
    .values({
      session_id: input.sessionId,
      project_id: input.projectId,
      turn_id: null,
      slot,
      target_file: input.targetFile,
      target_key: targetKey,
      operation: input.operation,
      start_input: JSON.stringify(input),
      run_id: null,
    })
    .execute();
};

const writeOld = async (target: string, text: string): Promise<void> => {
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
  await chmod(target, 0o640);
};

/**
 * Returns the content of the target, undefined when it does not exist, and the other files beside it, including
 * temporary ones.
 */
export const lookAt = async (target: string) => ({
  text: await readFile(target, 'utf8').catch(() => undefined),
  beside: (await readdir(dirname(target)).catch(() => [])).filter((name) => name !== 'file.md'),
});

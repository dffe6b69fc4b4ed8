import { enableCompileCache } from 'node:module';
import type { CommitWriteInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import type { UndoOutcome } from '../../../src/files/commit/undo.ts';
import { CountedOperations, type Ambush } from './counted-operations.ts';
import type { CommitOutcome } from '../../../src/contracts/write-session/session-messages.ts';

/**
 * What the test sends to the process: first where its files and rows are, and then any number of times what to commit
 * or undo, and where to strike.
 */
export type ToChild =
  | { readonly type: 'open'; readonly databaseUrl: string; readonly root: string; readonly dataDir: string }
  | { readonly type: 'commit'; readonly input: CommitWriteInput; readonly ambush?: Ambush }
  | { readonly type: 'undo'; readonly input: CommitWriteInput; readonly ambush?: Ambush };

export type FromChild =
  | { readonly type: 'opened' }
  | {
      readonly type: 'ended';
      readonly seen: readonly string[];
      readonly outcome?: CommitOutcome | UndoOutcome;
      /** The name of the error. */
      readonly error?: string;
    };

// Hundreds of these processes are started one after the other, so their compiled code is cached.
enableCompileCache();

const operations = new CountedOperations();
await operations.watch();
const { openDatabase } = await import('../../../src/db/connection/database.ts');
const { createWriteSessionRepository } =
  await import('../../../src/db/write-sessions/write-session-repository.ts');
const { createCommitter } = await import('../../../src/files/commit/committer.ts');
const { openContentStore } = await import('../../../src/files/content-store/file-content-store.ts');
const { openWorkspace } = await import('../../../src/files/workspace/open-workspace.ts');

let commit: ((input: CommitWriteInput) => Promise<CommitOutcome>) | undefined;
let undo: ((input: CommitWriteInput) => Promise<UndoOutcome>) | undefined;

const open = async ({ databaseUrl, root, dataDir }: Extract<ToChild, { type: 'open' }>): Promise<void> => {
  const sessions = createWriteSessionRepository(
    openDatabase(databaseUrl, { queryTimeoutMs: 60_000, connectTimeoutMs: 60_000 }).db,
  );
  await sessions.find('to connect once');
  const workspace = await openWorkspace({ root, hasProjectFolders: false });
  const contents = await openContentStore({ dataDir, maxBytes: 10_000_000 });
  const committer = createCommitter({ workspace, contents, sessions });
  commit = (input) => committer.commit(input, new AbortController().signal);
  undo = ({ sessionId }) => committer.undo(sessionId);
};

const answer = (message: FromChild): void => {
  process.send?.(message);
};

process.on('message', (message: ToChild) => {
  if (message.type === 'open') {
    void open(message).then(() => answer({ type: 'opened' }));
    return;
  }
  operations.arm(message.ambush);
  const run: ((input: CommitWriteInput) => Promise<CommitOutcome | UndoOutcome>) | undefined =
    message.type === 'commit' ? commit : undo;
  void run?.(message.input).then(
    (outcome) => answer({ type: 'ended', seen: operations.seen, outcome }),
    (error: unknown) => answer({ type: 'ended', seen: operations.seen, error: (error as Error).name }),
  );
});

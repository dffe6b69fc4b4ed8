import { openDatabase } from '../../../src/db/connection/database.ts';
import { createFileChangeRepository } from '../../../src/db/turns/file-change-repository.ts';
import { createToolLedgerRepository } from '../../../src/db/turns/tool-ledger-repository.ts';
import { createWriteSessionRepository } from '../../../src/db/write-sessions/write-session-repository.ts';
import { undoTurn } from '../../../src/files/commit/undo-turn.ts';
import { openContentStore } from '../../../src/files/content-store/file-content-store.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { createWorkspaceTools } from '../../../src/tools/workspace/workspace-tools.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner } from '../../../src/tools/run/runner.ts';
import type { UndoErrand } from './undo-child.ts';

/** The texts before and after the edit of a turn; each turn has a file of its own. */
export const TEXTS = { before: 'one two\n', after: (turnId: string) => `${turnId}: two\n` };
export const fileOf = (turnId: string): string => `${turnId}/file.md`;

/** Opens tools and undo over the stores that a test shares with a process that dies. */
export const openUndoGround = async ({ databaseUrl, root, dataDir }: UndoErrand['places']) => {
  const { db } = openDatabase(databaseUrl, { queryTimeoutMs: 60_000, connectTimeoutMs: 60_000 });
  const workspace = await openWorkspace({ root, hasProjectFolders: false });
  const contents = await openContentStore({ dataDir, maxBytes: 1_000_000 });
  const { withFreeTarget, find } = createWriteSessionRepository(db);
  await find('to connect once');
  const changes = createFileChangeRepository(db, withFreeTarget);
  const runner = createToolRunner({
    registry: createToolRegistry(createWorkspaceTools(workspace)),
    ledger: createToolLedgerRepository(db),
    copies: contents.undo,
    clock: { now: () => Date.now() },
  });
  const call = (turnId: string, name: string, args: object) => {
    const place = { turnId, projectId: 'p', mode: 'act', phaseIndex: 1, position: 0 } as const;
    const { signal } = new AbortController();
    const made = { name, arguments: JSON.stringify(args) };
    return runner.execute({ id: 'c', type: 'function', function: made }, { ...place, signal });
  };
  return {
    /** Runs one attempt of an edit; a second attempt reports that the first write was lost, and does not run it. */
    edit: (turnId: string) =>
      call(turnId, 'edit_file', { path: fileOf(turnId), edits: [{ old: 'one', new: `${turnId}:` }] }),
    write: (turnId: string, path: string, content: string) =>
      call(turnId, 'write_to_file', { path, content }),
    undo: (turnId: string) =>
      undoTurn({ workspace, contents, changes }, { turnId, projectId: 'p' }, new Date()),
    close: async () => {
      await workspace.close();
      await db.destroy();
    },
  };
};

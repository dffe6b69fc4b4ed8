/** Covers an undo of a whole turn, over what tools really wrote in a real workspace. */
import { describe, expect, it } from '@jest/globals';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerKey, PlannedWrite } from '../../../src/contracts/tools/tool-ledger.ts';
import { undoTurn } from '../../../src/files/commit/undo-turn.ts';
import { createWorkspaceTools } from '../../../src/tools/workspace/workspace-tools.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner } from '../../../src/tools/run/runner.ts';
import { MemoryLedger } from '../../tools/support/memory-ledger.ts';
import { inTempWorkspace } from '../../tools/support/temp-workspace.ts';
import { withFailingSync } from '../support/failing-sync.ts';
import { MemoryChanges } from '../support/memory-changes.ts';
import { inTempStore } from '../support/temp-store.ts';

const DAY = 24 * 3_600_000;
const TURN = { turnId: 't', projectId: 'p' };

/** Stores each write that it lets through as a change. */
class TellingLedger extends MemoryLedger {
  readonly #changes: MemoryChanges;

  constructor(changes: MemoryChanges) {
    super();
    this.#changes = changes;
  }

  override async planWrite(key: LedgerKey, attempt: number, write: PlannedWrite): Promise<boolean> {
    const may = await super.planWrite(key, attempt, write);
    if (may) this.#changes.add(key.turnId, { ...write, isCertain: false });
    return may;
  }
}

interface UndoWorld {
  readonly root: string;
  readonly changes: MemoryChanges;
  write(path: string, content: string): Promise<void>;
  edit(path: string, old: string, fresh: string): Promise<void>;
  undo(now?: Date): ReturnType<typeof undoTurn>;
  prune(now: Date): Promise<unknown>;
  put(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
}

const inUndoWorld = (test: (world: UndoWorld) => Promise<void>): Promise<void> =>
  inTempWorkspace({}, ({ root, workspace }) =>
    inTempStore(1_000_000, async ({ store }) => {
      const changes = new MemoryChanges();
      const runner = createToolRunner({
        registry: createToolRegistry(createWorkspaceTools(workspace)),
        ledger: new TellingLedger(changes),
        copies: store.undo,
        clock: { now: () => Date.now() },
      });
      let phaseIndex = 0;
      const call = async (name: string, args: object): Promise<void> => {
        phaseIndex += 1;
        const context = { ...TURN, mode: 'act', phaseIndex, position: 0 } as const;
        const { signal } = new AbortController();
        const made = { name, arguments: JSON.stringify(args) };
        const result = await runner.execute(
          { id: 'c', type: 'function', function: made },
          { ...context, signal },
        );
        expect(result).toMatchObject({ success: true });
      };
      await test({
        root,
        changes,
        write: (path, content) => call('write_to_file', { path, content }),
        edit: (path, old, fresh) => call('edit_file', { path, edits: [{ old, new: fresh }] }),
        undo: (now = new Date()) => undoTurn({ workspace, contents: store, changes }, TURN, now),
        prune: (now) => store.prune(now),
        put: (path, text) => writeFile(join(root, path), text),
        read: (path) => readFile(join(root, path), 'utf8'),
      });
    }),
  );

const CHANGED = 'the file was changed since the turn';

describe('undo of a turn', () => {
  it('gives back what was edited and written, mode kept, removes what was made, and does so once', async () => {
    await inUndoWorld(async ({ root, write, edit, undo, put, read }) => {
      await put('run.sh', 'one two\n');
      await chmod(join(root, 'run.sh'), 0o750);
      await put('notes.md', 'old\n');
      await edit('run.sh', 'one', '1');
      await edit('run.sh', 'two', '2');
      await write('notes.md', 'new\n');
      await write('src/made.ts', 'export {};\n');
      expect(await undo()).toEqual([
        { path: 'notes.md', outcome: 'restored' },
        { path: 'run.sh', outcome: 'restored' },
        { path: 'src/made.ts', outcome: 'removed' },
      ]);
      expect([await read('run.sh'), await read('notes.md')]).toEqual(['one two\n', 'old\n']);
      expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o750);
      expect((await readdir(root, { recursive: true })).toSorted()).toEqual(['notes.md', 'run.sh', 'src']);
      // A file that somebody else writes again with the same text belongs to them, and a second undo leaves it.
      await put('notes.md', 'new\n');
      expect(await undo()).toEqual(
        ['notes.md', 'run.sh', 'src/made.ts'].map((path) => ({ path, outcome: 'unchanged' })),
      );
      expect(await read('notes.md')).toBe('new\n');
    });
  });

  it('keeps what somebody saves at the last moment, whether the turn made or changed the file', async () => {
    await inUndoWorld(async ({ changes, write, edit, undo, put, read }) => {
      await put('changed.md', 'old\n');
      await edit('changed.md', 'old', 'new');
      await write('made.md', 'made\n');
      const whileFree = changes.withFreeTarget.bind(changes);
      changes.withFreeTarget = (key, work) =>
        whileFree(key, (assertLockHeld) =>
          work(async () => {
            await assertLockHeld();
            await put(key, 'saved by hand\n');
          }),
        );
      expect(await undo()).toEqual(
        ['changed.md', 'made.md'].map((path) => ({ path, outcome: 'refused', reason: CHANGED })),
      );
      expect([await read('changed.md'), await read('made.md')]).toEqual(
        Array.from({ length: 2 }, () => 'saved by hand\n'),
      );
    });
  });

  it('says so when the turn changed nothing', async () => {
    await inUndoWorld(async ({ undo }) => {
      expect(await undo()).toEqual([]);
    });
  });

  it('keeps and names files that were changed, removed or taken since, and restores the rest', async () => {
    await inUndoWorld(async ({ root, changes, write, edit, undo, put, read }) => {
      for (const path of ['a.md', 'b.md', 'c.md', 'd.md', 'e.md']) await put(path, 'old');
      for (const path of ['a.md', 'b.md', 'c.md', 'd.md']) await edit(path, 'old', 'new');
      await edit('e.md', 'old', 'mine');
      await put('e.md', 'mine, and theirs');
      await edit('e.md', 'mine', 'ours');
      await write('folder/f.md', 'new');
      await put('a.md', 'edited by a person');
      await rm(join(root, 'b.md'));
      changes.taken.add('c.md');
      await rm(join(root, 'folder'), { recursive: true });
      expect(await undo()).toEqual([
        { path: 'a.md', outcome: 'refused', reason: CHANGED },
        { path: 'b.md', outcome: 'refused', reason: CHANGED },
        { path: 'c.md', outcome: 'refused', reason: 'something else is writing the file' },
        { path: 'd.md', outcome: 'restored' },
        {
          path: 'e.md',
          outcome: 'refused',
          reason: 'something else changed the file between two changes of the turn',
        },
        { path: 'folder/f.md', outcome: 'unchanged' },
      ]);
      expect([await read('a.md'), await read('e.md')]).toEqual(['edited by a person', 'ours, and theirs']);
      changes.taken.clear();
      expect(await undo()).toContainEqual({ path: 'c.md', outcome: 'restored' });
    });
  });

  it('knows a file by its identity: other spellings are the same file, and a link that leads elsewhere is refused', async () => {
    await inUndoWorld(async ({ root, changes, edit, undo, put, read }) => {
      await mkdir(join(root, 'real'));
      await put('real/a.md', 'one');
      await symlink('real', join(root, 'link'));
      await edit('./real//a.md', 'one', 'two');
      await put('other.md', 'x');
      expect(await undo()).toEqual([{ path: './real//a.md', outcome: 'restored' }]);
      await edit('link/a.md', 'one', 'three');
      for (const row of changes.rows) row.targetKey = 'real/a.md';
      await rename(join(root, 'real'), join(root, 'moved'));
      await rm(join(root, 'link'));
      await symlink('moved', join(root, 'link'));
      expect(await undo()).toMatchObject([{ outcome: 'refused' }]);
      expect(await read('moved/a.md')).toBe('three');
    });
  });

  it('a write that died before it touched the file is no change', async () => {
    await inUndoWorld(async ({ changes, edit, undo, put, read }) => {
      await put('a.md', 'one');
      await edit('a.md', 'one', 'two');
      const two = changes.rows[0]?.after;
      if (!two) throw new Error('expected a change');
      changes.add('t', {
        path: 'a.md',
        before: two,
        after: { sha256: 'f'.repeat(64), bytes: 9 },
        isCertain: false,
      });
      expect(await undo()).toEqual([{ path: 'a.md', outcome: 'restored' }]);
      expect(await read('a.md')).toBe('one');
    });
  });

  it('is noted by the next one if it died before it was noted, and nothing more changes', async () => {
    await inUndoWorld(async ({ changes, edit, undo, put, read }) => {
      await put('a.md', 'one');
      await edit('a.md', 'one', 'two');
      changes.dyingOf = new Error('killed');
      await expect(undo()).rejects.toThrow('killed');
      expect(await read('a.md')).toBe('one');
      expect(await undo()).toEqual([{ path: 'a.md', outcome: 'unchanged' }]);
      expect(changes.rows[0]?.isUndone).toBe(true);
    });
  });

  it('is no refusal, and not noted, while the folder of a file cannot be synced', async () => {
    await inUndoWorld(async ({ changes, edit, undo, put, read }) => {
      await put('a.md', 'one');
      await edit('a.md', 'one', 'two');
      await withFailingSync(async () => {
        await expect(undo()).rejects.toThrow('EIO');
        await expect(undo()).rejects.toThrow('EIO');
        expect([await read('a.md'), changes.rows[0]?.isUndone]).toEqual(['one', false]);
      });
      expect(await undo()).toEqual([{ path: 'a.md', outcome: 'unchanged' }]);
      expect(changes.rows[0]?.isUndone).toBe(true);
    });
  });

  it('works for 7 days, and not without the copy', async () => {
    await inUndoWorld(async ({ edit, undo, prune, put, read }) => {
      await put('a.md', 'one');
      await edit('a.md', 'one', 'two');
      expect(await undo(new Date(Date.now() + 8 * DAY))).toMatchObject([
        { reason: 'the change is more than 7 days old' },
      ]);
      await prune(new Date(Date.now() + 8 * DAY));
      expect(await undo()).toMatchObject([
        { reason: 'the content of the file before the commit is no longer stored' },
      ]);
      expect(await read('a.md')).toBe('two');
    });
  });

  it('keeps no copy of more than 10 MiB', async () => {
    await inUndoWorld(async ({ write, undo, put }) => {
      await put('large.md', 'x'.repeat(10 * 1024 * 1024 + 1));
      await write('large.md', 'short');
      expect(await undo()).toMatchObject([
        { reason: 'the content of the file before the commit is no longer stored' },
      ]);
    });
  });

  it('happens once when many ask for it at once', async () => {
    await inUndoWorld(async ({ edit, undo, put, read }) => {
      await put('a.md', 'one');
      await edit('a.md', 'one', 'two');
      const all = (await Promise.all(Array.from({ length: 10 }, () => undo()))).flat();
      expect(all.filter(({ outcome }) => outcome === 'restored')).toHaveLength(1);
      expect(await read('a.md')).toBe('one');
    });
  });
});

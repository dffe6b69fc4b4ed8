/** Covers a tool whose write was interrupted and reported as lost, and which then goes on. */
import { describe, expect, it } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerKey, PlannedWrite } from '../../../src/contracts/tools/tool-ledger.ts';
import { OUTCOME_UNKNOWN } from '../../../src/contracts/tools/tool-call.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner } from '../../../src/tools/run/runner.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { createEditFileTool } from '../../../src/tools/workspace/edit-file.ts';
import { createWriteToFileTool } from '../../../src/tools/workspace/write-to-file.ts';
import { MemoryLedger } from '../../tools/support/memory-ledger.ts';
import { discardedCopies, inTempWorkspace } from '../../tools/support/temp-workspace.ts';

/** Holds the first attempt before, or right after, it is told that it may write. */
class HoldingLedger extends MemoryLedger {
  readonly held = Promise.withResolvers<void>();
  readonly gate = Promise.withResolvers<void>();
  readonly #when: 'before' | 'after';

  constructor(when: 'before' | 'after') {
    super();
    this.#when = when;
  }

  override async planWrite(key: LedgerKey, attempt: number, write: PlannedWrite): Promise<boolean> {
    if (attempt > 1) return super.planWrite(key, attempt, write);
    const answer = this.#when === 'after' ? await super.planWrite(key, attempt, write) : undefined;
    this.held.resolve();
    await this.gate.promise;
    return answer ?? super.planWrite(key, attempt, write);
  }
}

/** The tools that write, and for each a call that changes a.md, which holds `old`. */
const WRITES = {
  write_to_file: { path: 'a.md', content: 'of the sleeper' },
  edit_file: { path: 'a.md', edits: [{ old: 'old', new: 'of the sleeper' }] },
};

const executeIn = (
  workspace: Workspace,
  ledger: MemoryLedger,
  name: keyof typeof WRITES = 'write_to_file',
) => {
  const registry = createToolRegistry([createWriteToFileTool(workspace), createEditFileTool(workspace)]);
  const runner = createToolRunner({
    registry,
    copies: discardedCopies,
    ledger,
    clock: { now: () => Date.now() },
  });
  const call = {
    id: 'c',
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(WRITES[name]) },
  };
  const context = { turnId: 't/1 ü', projectId: 'p', mode: 'act' as const, phaseIndex: 1, position: 0 };
  return () => runner.execute(call, { ...context, signal: new AbortController().signal });
};

describe('fence of file-writing tools', () => {
  it.each([
    ['before', 'write_to_file'],
    ['after', 'write_to_file'],
    ['before', 'edit_file'],
    ['after', 'edit_file'],
  ] as const)(
    'an attempt that slept %s it was told that it may write finds nothing to write with: %s',
    async (when, name) => {
      await inTempWorkspace({}, async ({ root, workspace }) => {
        const ledger = new HoldingLedger(when);
        const execute = executeIn(workspace, ledger, name);
        await writeFile(join(root, 'a.md'), 'old');
        const sleeping = execute();
        await ledger.held.promise;
        expect(await readdir(root)).toEqual([expect.stringMatching(/^\.orion-tmp-[0-9a-f]{32}-1$/), 'a.md']);
        expect(await execute()).toMatchObject({ success: false, error: OUTCOME_UNKNOWN });
        await writeFile(join(root, 'a.md'), 'written since');
        ledger.gate.resolve();
        expect(await sleeping).toMatchObject({ success: false });
        expect(await readdir(root)).toEqual(['a.md']);
        expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('written since');
      });
    },
  );

  it('a ledger that cannot be reached lets nothing be written', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      const ledger = new MemoryLedger();
      ledger.planWrite = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      expect(await executeIn(workspace, ledger)()).toMatchObject({
        success: false,
        error: expect.stringContaining('the ledger of tool executions cannot be reached'),
      });
      expect(await readdir(root)).toEqual([]);
    });
  });

  it('a lost write whose path leads nowhere is still reported', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      const ledger = new MemoryLedger();
      await writeFile(join(root, 'a.md'), 'old');
      await ledger.begin({ turnId: 't/1 ü', phaseIndex: 1, position: 0 });
      expect(await executeIn(workspace, ledger)()).toMatchObject({ error: OUTCOME_UNKNOWN });
      expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('old');
    });
  });
});

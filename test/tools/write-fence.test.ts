/** A write of a tool that was interrupted, reported as lost, and wakes up after all. */
import { describe, expect, it, jest } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerKey } from '../../src/tools/execute-once.ts';
import { OUTCOME_UNKNOWN } from '../../src/tools/execute-once.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { createToolRunner } from '../../src/tools/runner.ts';
import type { Workspace } from '../../src/files/workspace/workspace.ts';
import { createWriteToFileTool } from '../../src/tools/write-to-file.ts';
import { MemoryLedger } from './support/memory-ledger.ts';
import { inTempWorkspace } from './support/temp-workspace.ts';

// Every step is synced to a disk that others use, too.
jest.setTimeout(30_000);

/** Holds the first attempt after, or before, it was told that it may write. */
class HoldingLedger extends MemoryLedger {
  readonly held = Promise.withResolvers<void>();
  readonly gate = Promise.withResolvers<void>();
  readonly #when: 'before' | 'after';

  constructor(when: 'before' | 'after') {
    super();
    this.#when = when;
  }

  override async holds(key: LedgerKey, attempt: number): Promise<boolean> {
    if (attempt > 1) return super.holds(key, attempt);
    const answer = this.#when === 'after' ? await super.holds(key, attempt) : undefined;
    this.held.resolve();
    await this.gate.promise;
    return answer ?? super.holds(key, attempt);
  }
}

const executeIn = (workspace: Workspace, ledger: MemoryLedger) => {
  const registry = createToolRegistry([createWriteToFileTool(workspace)]);
  const runner = createToolRunner({ registry, ledger, clock: { now: () => Date.now() } });
  const call = {
    id: 'c',
    type: 'function' as const,
    function: {
      name: 'FileSystemTool_write_to_file',
      arguments: JSON.stringify({ path: 'a.md', content: 'of the sleeper' }),
    },
  };
  const context = { turnId: 't/1 ü', projectId: 'p', mode: 'act' as const, phaseIndex: 1, position: 0 };
  return () => runner.execute(call, { ...context, signal: new AbortController().signal });
};

describe('fence of file-writing tools', () => {
  it.each(['before', 'after'] as const)(
    'an attempt that slept %s it was told that it may write finds nothing to write with',
    async (when) => {
      await inTempWorkspace({}, async ({ root, workspace }) => {
        const ledger = new HoldingLedger(when);
        const execute = executeIn(workspace, ledger);
        const sleeping = execute();
        await ledger.held.promise;
        expect(await readdir(root)).toEqual([expect.stringMatching(/^\.orion-tmp-[0-9a-f]{32}-1$/)]);
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
      ledger.holds = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
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

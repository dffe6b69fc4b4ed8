import { describe, expect, it } from '@jest/globals';
import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import type { LedgerKey, PlannedWrite, ToolLedger } from '../../../src/contracts/tools/tool-ledger.ts';

const info = { toolName: 'FileSystemTool_write_to_file', arguments: '{"content":"\\u0000\0"}' };
const result = (text: string): ToolResult => ({
  toolCallId: 'call_1',
  toolName: 'FileSystemTool.write_to_file',
  success: true,
  result: text,
  attempts: 1,
  durationMs: 3,
  timestamp: '2026-01-01T00:00:00.000Z',
});

/** Describes what every ledger promises; `turnId` names a turn that runs, and `ledger` is called once in each test. */
export const describeToolLedger = (name: string, turnId: string, ledger: () => ToolLedger): void => {
  const at = (phaseIndex: number, position = 0) => ({ turnId, phaseIndex, position });

  describe(`a tool ledger: ${name}`, () => {
    it('gives a repeated execution the stored result, byte by byte', async () => {
      const { begin, finish } = bound(ledger());
      expect(await begin(at(1), info)).toEqual({ kind: 'started', attempt: 1 });
      await finish(at(1), result('nul \0 lone \ud800'));
      const repeated = { kind: 'finished', result: result('nul \0 lone \ud800') };
      expect(await begin(at(1), info)).toEqual(repeated);
      expect(await begin(at(1, 1), info)).toEqual({ kind: 'started', attempt: 1 });
    });

    it('says interrupted when an execution began and left no result, since it may have run', async () => {
      const { begin } = bound(ledger());
      await begin(at(3), info);
      expect(await begin(at(3), info)).toEqual({ kind: 'unfinished', attempt: 2 });
    });

    it('keeps the first result: a second execution of a read does not rewrite what the model was told', async () => {
      const { begin, finish } = bound(ledger());
      await begin(at(5), info);
      await finish(at(5), result('first'));
      await finish(at(5), result('second'));
      expect(await begin(at(5), info)).toMatchObject({ result: { result: 'first' } });
    });

    it('gives the fence only to the newest attempt without a result', async () => {
      const { begin, finish, holds } = bound(ledger());
      expect(await holds(at(9), 1)).toBe(false);
      await begin(at(9), info);
      expect(await holds(at(9), 1)).toBe(true);
      await begin(at(9), info);
      expect([await holds(at(9), 1), await holds(at(9), 2)]).toEqual([false, true]);
      await finish(at(9), result('done'));
      expect(await holds(at(9), 2)).toBe(false);
    });

    it('stores no result for an execution that never began', async () => {
      const { begin, finish } = bound(ledger());
      await finish(at(11), result('from nowhere'));
      expect(await begin(at(11), info)).toEqual({ kind: 'started', attempt: 1 });
    });
  });
};

const WRITE: PlannedWrite = {
  path: 'a.md',
  targetKey: 'a.md',
  before: null,
  after: { sha256: 'a'.repeat(64), bytes: 1 },
};

const bound = (ledger: ToolLedger) => ({
  begin: (...args: Parameters<ToolLedger['begin']>) => ledger.begin(...args),
  /** Checks that `planWrite` (for a file) and `holds` (for anything else) give the same answer, and returns it. */
  holds: async (key: LedgerKey, attempt: number) => {
    const [mayWrite, holds] = [await ledger.planWrite(key, attempt, WRITE), await ledger.holds(key, attempt)];
    expect(holds).toBe(mayWrite);
    return holds;
  },
  finish: (...args: Parameters<ToolLedger['finish']>) => ledger.finish(...args),
});

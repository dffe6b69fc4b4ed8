import { describe, expect, it } from '@jest/globals';
import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import type { LedgerKey, PlannedWrite, ToolLedger } from '../../../src/contracts/tools/tool-ledger.ts';

/** A ledger, a turn that runs, and what only a test does to them. */
export interface LedgerUnderContract {
  readonly ledger: ToolLedger;
  readonly turnId: string;
  endTurn(): Promise<void>;
  /** Runs `work` and resolves to its result. Meanwhile the file with this target key is being undone. */
  duringUndo<T>(targetKey: string, work: () => Promise<T>): Promise<T>;
}

const call = { toolName: 'FileSystemTool_write_to_file', arguments: '{"content":"\\u0000\0"}' };
const result = (text: string): ToolResult => ({
  toolCallId: 'call_1',
  toolName: 'FileSystemTool.write_to_file',
  success: true,
  result: text,
  attempts: 1,
  durationMs: 3,
  timestamp: '2026-01-01T00:00:00.000Z',
});
const STARTED = { kind: 'started', attempt: 1 };
const SPENT = { kind: 'spent' };

/** Describes what every ledger promises. `open` is called once in each test, and names a turn of its own each time. */
export const describeToolLedger = (
  name: string,
  open: () => LedgerUnderContract | Promise<LedgerUnderContract>,
): void => {
  describe(`a tool ledger: ${name}`, () => {
    it('gives a repeated execution the stored result, byte by byte', async () => {
      const { at, begin, finish } = bound(await open());
      expect(await begin(at(1))).toEqual(STARTED);
      await finish(at(1), result('nul \0 lone \ud800'));
      const repeated = { kind: 'finished', result: result('nul \0 lone \ud800') };
      expect(await begin(at(1))).toEqual(repeated);
      expect(await begin(at(1, 1))).toEqual(STARTED);
    });

    it('says unfinished when an execution began and left no result, since it may have run', async () => {
      const { at, begin } = bound(await open());
      await begin(at(3));
      expect(await begin(at(3))).toEqual({ kind: 'unfinished', attempt: 2 });
    });

    it('keeps the first result: a second execution of a read does not rewrite what the model was told', async () => {
      const { at, begin, finish } = bound(await open());
      await begin(at(5));
      expect(await finish(at(5), result('first'))).toEqual(result('first'));
      expect(await finish(at(5), result('second'))).toEqual(result('first'));
      expect(await begin(at(5))).toMatchObject({ result: { result: 'first' } });
    });

    it('stores no result for an execution that never began', async () => {
      const { at, begin, finish } = bound(await open());
      await finish(at(11), result('from nowhere'));
      expect(await begin(at(11))).toEqual(STARTED);
    });
  });

  describe(`approvals in a tool ledger: ${name}`, () => {
    it('one that is good for one execution lets no other begin, whatever became of the first', async () => {
      const { at, begin, finish, approved } = bound(await open());
      const once = approved(1, true);
      expect(await begin(at(1), once)).toEqual(STARTED);
      expect(await begin(at(3), once)).toEqual(SPENT);
      await finish(at(1), result('done'));
      expect(await begin(at(3), once)).toEqual(SPENT);
      expect(await begin(at(1, 1), once)).toEqual(SPENT);
      expect(await begin(at(3), approved(2, true))).toEqual(STARTED);
    });

    it('an execution that has used one may be repeated, and gets its result', async () => {
      const { at, begin, finish, approved } = bound(await open());
      const once = approved(1, true);
      await begin(at(1), once);
      expect(await begin(at(1), once)).toEqual({ kind: 'unfinished', attempt: 2 });
      await finish(at(1), result('done'));
      expect(await begin(at(1), once)).toEqual({ kind: 'finished', result: result('done') });
    });

    it('an execution whose approval was spent has not begun: it holds no fence, and stores no result', async () => {
      const { at, begin, finish, mayAct, approved } = bound(await open());
      await begin(at(1), approved(1, true));
      await begin(at(3), approved(1, true));
      expect(await mayAct(at(3), 1)).toBe(false);
      await finish(at(3), result('from nowhere'));
      expect(await begin(at(3))).toEqual(STARTED);
    });

    it('one that is good for the turn lets any number begin', async () => {
      const { at, begin, approved } = bound(await open());
      const always = approved(1, false);
      for (const phaseIndex of [1, 3, 5]) expect(await begin(at(phaseIndex), always)).toEqual(STARTED);
    });
  });

  describe(`the fence of a tool ledger: ${name}`, () => {
    it('is held only by the newest attempt without a result', async () => {
      const { at, begin, finish, mayAct } = bound(await open());
      expect(await mayAct(at(9), 1)).toBe(false);
      await begin(at(9));
      expect(await mayAct(at(9), 1)).toBe(true);
      await begin(at(9));
      expect([await mayAct(at(9), 1), await mayAct(at(9), 2)]).toEqual([false, true]);
      await finish(at(9), result('done'));
      expect(await mayAct(at(9), 2)).toBe(false);
    });

    it('is held by nobody once the turn has ended', async () => {
      const { at, begin, mayAct, endTurn } = bound(await open());
      await begin(at(1));
      await begin(at(3));
      expect(await mayAct(at(1), 1)).toBe(true);
      await endTurn();
      expect([await mayAct(at(1), 1), await mayAct(at(3), 1)]).toEqual([false, false]);
    });

    it('lets an attempt write once, and the next attempt once more', async () => {
      const { at, begin, ledger, writeOf } = bound(await open());
      const plan = (attempt: number) => ledger.planWrite(at(1), attempt, writeOf('a.md'));
      await begin(at(1));
      expect([await plan(1), await plan(1)]).toEqual([true, false]);
      await begin(at(1));
      expect([await plan(1), await plan(2), await plan(2)]).toEqual([false, true, false]);
    });

    it('lets nobody write a file that is being undone, and lets others write', async () => {
      const { at, begin, ledger, duringUndo, writeOf } = bound(await open());
      const undone = writeOf('a.md');
      await begin(at(1));
      await begin(at(3));
      const meanwhile = await duringUndo(undone.targetKey, async () => [
        await ledger.planWrite(at(1), 1, undone),
        await ledger.planWrite(at(3), 1, writeOf('b.md')),
      ]);
      expect(meanwhile).toEqual([false, true]);
      expect(await ledger.planWrite(at(1), 1, undone)).toBe(true);
    });
  });
};

const bound = ({ ledger, turnId, ...more }: LedgerUnderContract) => {
  /** Returns a change of a file that only this turn writes. */
  const writeOf = (path: string): PlannedWrite => ({
    path,
    targetKey: `${turnId}/${path}`,
    before: null,
    after: { sha256: 'a'.repeat(64), bytes: 1 },
  });
  return {
    ...more,
    ledger,
    writeOf,
    at: (phaseIndex: number, position = 0): LedgerKey => ({ turnId, phaseIndex, position }),
    begin: (key: LedgerKey, what: Parameters<ToolLedger['begin']>[1] = call) => ledger.begin(key, what),
    finish: (...args: Parameters<ToolLedger['finish']>) => ledger.finish(...args),
    /** Returns the facts of an attempt that runs by a reply to the n-th request of the turn. */
    approved: (n: number, once: boolean) => ({ ...call, approval: { inputId: `${turnId}/${n}`, once } }),
    /**
     * Checks that `planWrite` (for a file) and `holds` (for anything else) give the same answer, and resolves to it.
     * The attempt must have planned nothing before.
     */
    mayAct: async (key: LedgerKey, attempt: number): Promise<boolean> => {
      const holds = await ledger.holds(key, attempt);
      expect(await ledger.planWrite(key, attempt, writeOf('c.md'))).toBe(holds);
      return holds;
    },
  };
};

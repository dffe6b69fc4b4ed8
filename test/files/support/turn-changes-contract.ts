import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { PlannedWrite } from '../../../src/contracts/tools/tool-ledger.ts';
import type { TurnChanges } from '../../../src/files/commit/undo-turn.ts';

/** The changes that an undo reads, and what only a test does to them. */
export interface ChangesUnderContract {
  readonly changes: TurnChanges;
  /** Resolves to the id of a new turn. */
  startTurn(): Promise<string>;
  /** Notes changes of a turn, as tools make them one after another. They have ended. */
  change(turnId: string, ...changes: readonly PlannedWrite[]): Promise<void>;
  /** Has a tool begin to write the file, and resolves to the function that ends its execution. */
  beginWriting(turnId: string, targetKey: string): Promise<() => Promise<void>>;
}

const hash = (letter: string) => ({ sha256: letter.repeat(64), bytes: 1 });
const change = (targetKey: string, before: string | null, after: string): PlannedWrite => ({
  path: `./${targetKey}`,
  targetKey,
  before: before === null ? null : hash(before),
  after: hash(after),
});

/** Describes what an undo of a turn relies on. `open` is called once in each test. */
export const describeTurnChanges = (name: string, open: () => ChangesUnderContract): void => {
  const free = (changes: TurnChanges, targetKey: string) =>
    changes.withFreeTarget(targetKey, () => Promise.resolve('free'));

  describe(`changes that turns made to files: ${name}`, () => {
    it('are those of the turn, in the order in which they were made', async () => {
      const { changes, startTurn, change: made } = open();
      const [turn, other] = [await startTurn(), await startTurn()];
      const own = [change('b.md', 'a', 'b'), change('a.md', null, 'c'), change('b.md', 'b', 'd')];
      await made(turn, ...own);
      await made(other, change('b.md', 'd', 'e'));
      const listed = await changes.list(turn);
      expect(listed).toEqual(
        own.map((one) => ({ ...one, isCertain: false, at: expect.any(Date), isUndone: false })),
      );
      expect(await changes.list('nobody')).toEqual([]);
    });

    it('are undone file by file, and only those of the turn', async () => {
      const { changes, startTurn, change: made } = open();
      const [turn, other] = [await startTurn(), await startTurn()];
      await made(turn, change('a.md', null, 'a'), change('b.md', null, 'b'), change('a.md', 'a', 'c'));
      await made(other, change('a.md', 'c', 'd'));
      await changes.markUndone(turn, 'a.md');
      await changes.markUndone(turn, 'a.md');
      expect((await changes.list(turn)).map(({ isUndone }) => isUndone)).toEqual([true, false, true]);
      expect((await changes.list(other)).map(({ isUndone }) => isUndone)).toEqual([false]);
    });

    it('are not undone while a tool writes the file', async () => {
      const { changes, startTurn, beginWriting } = open();
      const target = randomUUID();
      expect(await free(changes, target)).toBe('free');
      const end = await beginWriting(await startTurn(), target);
      expect(await free(changes, target)).toBeUndefined();
      expect(await free(changes, randomUUID())).toBe('free');
      await end();
      expect(await free(changes, target)).toBe('free');
    });

    it('reject as the work under a free target does, and free the target again', async () => {
      const { changes } = open();
      const target = randomUUID();
      const broken = changes.withFreeTarget(target, () => Promise.reject(new Error('disk')));
      await expect(broken).rejects.toThrow('disk');
      const worked = changes.withFreeTarget(target, (assertLockHeld) => assertLockHeld().then(() => 'again'));
      expect(await worked).toBe('again');
    });
  });
};

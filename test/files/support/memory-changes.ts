import type { TurnChange, TurnChanges } from '../../../src/files/commit/undo-turn.ts';

type Row = { -readonly [Field in keyof TurnChange]: TurnChange[Field] } & { readonly turnId: string };

/** Changes of turns, held in memory; a test may alter them. */
export class MemoryChanges implements TurnChanges {
  readonly rows: Row[] = [];
  /** The files that something else is writing. */
  readonly taken = new Set<string>();
  /** The error with which the next `markUndone` rejects, as if the process had died just before it. */
  dyingOf: Error | undefined;

  add(turnId: string, change: Omit<TurnChange, 'targetKey' | 'at' | 'isUndone'> & Partial<TurnChange>): void {
    this.rows.push({ turnId, targetKey: change.path, at: new Date(), isUndone: false, ...change });
  }

  list(turnId: string): Promise<readonly TurnChange[]> {
    const own = this.rows.filter((row) => row.turnId === turnId);
    return Promise.resolve(own.map(({ turnId: _turnId, ...change }) => change));
  }

  markUndone(turnId: string, targetKey: string): Promise<void> {
    const death = this.dyingOf;
    this.dyingOf = undefined;
    if (death) return Promise.reject(death);
    for (const row of this.rows) {
      if (row.turnId === turnId && row.targetKey === targetKey) row.isUndone = true;
    }
    return Promise.resolve();
  }

  /** Settles when the latest undo has ended: undos run one after the other, as the lock of the database makes them. */
  #undoing: Promise<unknown> = Promise.resolve();

  withFreeTarget<T>(
    targetKey: string,
    work: (assertLockHeld: () => Promise<void>) => Promise<T>,
  ): Promise<T | undefined> {
    const run = this.#undoing.then(() =>
      this.taken.has(targetKey) ? undefined : work(() => Promise.resolve()),
    );
    this.#undoing = run.catch(() => undefined);
    return run;
  }
}

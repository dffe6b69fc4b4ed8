import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import type { LedgerKey, PlannedWrite, ToolLedger } from '../../../src/contracts/tools/tool-ledger.ts';

type LedgerCall = Partial<Parameters<ToolLedger['begin']>[1]>;

/** A ledger in memory; a test may read and prepare `results` and `begun`. */
export class MemoryLedger implements ToolLedger {
  readonly begun = new Set<string>();
  readonly attempts = new Map<string, number>();
  readonly results = new Map<string, ToolResult>();
  /** The turns that have ended, by their ids. */
  readonly endedTurns = new Set<string>();
  /** The files that are being undone, by their target keys. */
  readonly beingUndone = new Set<string>();
  failsNextFinish = false;
  /** The input ids of approvals that are good for one execution and have let one begin. */
  readonly #spent = new Set<string>();
  /** The attempts that have planned a write, by the name of their key and their number. */
  readonly #planned = new Set<string>();

  begin(key: LedgerKey, { approval }: LedgerCall = {}): ReturnType<ToolLedger['begin']> {
    const name = keyName(key);
    const result = this.results.get(name);
    if (result !== undefined) return Promise.resolve({ kind: 'finished', result });
    // A repeated execution has used its approval itself.
    if (approval?.once && !this.begun.has(name)) {
      if (this.#spent.has(approval.inputId)) return Promise.resolve({ kind: 'spent' });
      this.#spent.add(approval.inputId);
    }
    const attempt = (this.attempts.get(name) ?? Number(this.begun.has(name))) + 1;
    this.attempts.set(name, attempt);
    this.begun.add(name);
    return Promise.resolve({ kind: attempt === 1 ? 'started' : 'unfinished', attempt });
  }

  async planWrite(key: LedgerKey, attempt: number, { targetKey }: PlannedWrite): Promise<boolean> {
    const plan = `${keyName(key)} ${attempt}`;
    if (!(await this.holds(key, attempt)) || this.beingUndone.has(targetKey)) return false;
    if (this.#planned.has(plan)) return false;
    this.#planned.add(plan);
    return true;
  }

  holds(key: LedgerKey, attempt: number): Promise<boolean> {
    const name = keyName(key);
    const counts = this.attempts.get(name) === attempt && !this.results.has(name);
    return Promise.resolve(counts && !this.endedTurns.has(key.turnId));
  }

  finish(key: LedgerKey, result: ToolResult): Promise<ToolResult> {
    if (this.failsNextFinish) {
      this.failsNextFinish = false;
      return Promise.reject(new Error('connection terminated'));
    }
    const name = keyName(key);
    if (this.begun.has(name) && !this.results.has(name)) this.results.set(name, result);
    return Promise.resolve(this.results.get(name) ?? result);
  }
}

export const keyName = ({ turnId, phaseIndex, position }: LedgerKey): string =>
  `${turnId}/${phaseIndex}/${position}`;

import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import type { LedgerKey, PlannedWrite, ToolLedger } from '../../../src/contracts/tools/tool-ledger.ts';

/** A ledger in memory; a test may read and prepare `results` and `begun`. */
export class MemoryLedger implements ToolLedger {
  readonly begun = new Set<string>();
  readonly attempts = new Map<string, number>();
  readonly results = new Map<string, ToolResult>();
  failsNextFinish = false;

  begin(key: LedgerKey, _info?: Parameters<ToolLedger['begin']>[1]): ReturnType<ToolLedger['begin']> {
    const name = keyName(key);
    const result = this.results.get(name);
    if (result !== undefined) return Promise.resolve({ kind: 'finished', result });
    const attempt = (this.attempts.get(name) ?? Number(this.begun.has(name))) + 1;
    this.attempts.set(name, attempt);
    this.begun.add(name);
    return Promise.resolve({ kind: attempt === 1 ? 'started' : 'unfinished', attempt });
  }

  planWrite(key: LedgerKey, attempt: number, _write?: PlannedWrite): Promise<boolean> {
    return this.holds(key, attempt);
  }

  holds(key: LedgerKey, attempt: number): Promise<boolean> {
    const name = keyName(key);
    return Promise.resolve(this.attempts.get(name) === attempt && !this.results.has(name));
  }

  finish(key: LedgerKey, result: ToolResult): Promise<void> {
    if (this.failsNextFinish) {
      this.failsNextFinish = false;
      return Promise.reject(new Error('connection terminated'));
    }
    const name = keyName(key);
    if (this.begun.has(name) && !this.results.has(name)) this.results.set(name, result);
    return Promise.resolve();
  }
}

export const keyName = ({ turnId, phaseIndex, position }: LedgerKey): string =>
  `${turnId}/${phaseIndex}/${position}`;

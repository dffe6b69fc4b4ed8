import type { ToolResult } from '../../src/contracts/tool-call.ts';
import type { LedgerKey, ToolLedger } from '../../src/tools/execute-once.ts';

/** A ledger in memory; `results` and `begun` can be looked at and prepared by a test. */
export class MemoryLedger implements ToolLedger {
  readonly begun = new Set<string>();
  readonly results = new Map<string, ToolResult>();
  failNextFinish = false;

  begin(key: LedgerKey): ReturnType<ToolLedger['begin']> {
    const name = keyName(key);
    const result = this.results.get(name);
    if (result !== undefined) return Promise.resolve({ kind: 'finished', result });
    if (this.begun.has(name)) return Promise.resolve({ kind: 'interrupted' });
    this.begun.add(name);
    return Promise.resolve({ kind: 'started' });
  }

  finish(key: LedgerKey, result: ToolResult): Promise<void> {
    if (this.failNextFinish) {
      this.failNextFinish = false;
      return Promise.reject(new Error('connection terminated'));
    }
    this.results.set(keyName(key), result);
    return Promise.resolve();
  }
}

export const keyName = ({ turnId, phaseIndex, position }: LedgerKey): string =>
  `${turnId}/${phaseIndex}/${position}`;

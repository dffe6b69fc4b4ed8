import type { ToolApproval, ToolResult } from '../../contracts/tools/tool-call.ts';
import { type LedgerKey, type ToolLedger, ledgerKeyText } from '../../contracts/tools/tool-ledger.ts';

/** One execution of a tool call, with all that decides whether it runs. */
export interface ToolExecution {
  readonly key: LedgerKey;
  readonly toolName: string;
  /** Raw JSON text of the call. */
  readonly arguments: string;
  /** The reply that allowed the call. Absent if none was needed. */
  readonly approval?: ToolApproval;
  /** True when the tool changes nothing, or a repeat has no further effect. */
  readonly mayRunAgain: boolean;
  /** Runs the call. `attempt` is the number that the ledger gave to the attempt, 1 for the first. */
  run(attempt: number): Promise<ToolResult>;
  /**
   * Returns the result of an execution that was begun before, may not run again, and whose outcome is not known. It
   * first makes sure that earlier attempts have no effect from then on.
   */
  reportLost(attempt: number): Promise<ToolResult>;
  /** Returns the result of an execution whose approval was used by another execution. */
  reportApprovalUsed(): ToolResult;
}

/**
 * Creates a function that gives each execution one result, however often it is retried.
 *
 * - A finished execution is answered from the ledger.
 * - An interrupted execution is answered with the result that this process still has. Without one it runs again if it
 *   may (`mayRunAgain`), otherwise it is reported as lost.
 * - An execution whose approval was used by another one does not run.
 *
 * The function rejects when the ledger cannot be reached, or as the methods of the execution do.
 */
export const createExecuteOnce = (
  ledger: ToolLedger,
): ((execution: ToolExecution) => Promise<ToolResult>) => {
  const unsavedResults = new UnsavedResults();

  const save = async (key: LedgerKey, result: ToolResult): Promise<ToolResult> => {
    unsavedResults.keep(key, result);
    // An earlier attempt, which counted as lost, may have stored its result meanwhile.
    const stored = await ledger.finish(key, result);
    unsavedResults.remove(key);
    return stored;
  };

  const resume = async (execution: ToolExecution, attempt: number): Promise<ToolResult> => {
    const { key } = execution;
    const known = unsavedResults.find(key);
    if (known !== undefined) return known;
    return execution.mayRunAgain ? execution.run(attempt) : execution.reportLost(attempt);
  };

  return async (execution) => {
    const { key, toolName, approval } = execution;
    const call = { toolName, arguments: execution.arguments, ...(approval && { approval }) };
    const entry = await ledger.begin(key, call);
    switch (entry.kind) {
      case 'finished':
        return entry.result;
      case 'started':
        return save(key, await execution.run(entry.attempt));
      case 'unfinished':
        return save(key, await resume(execution, entry.attempt));
      case 'spent':
        return execution.reportApprovalUsed();
      default:
        return entry satisfies never;
    }
  };
};

/**
 * Largest number of results that are kept because the ledger has not stored them. The newest stay. A result, of up to
 * 32 KiB, would otherwise stay for ever if its call is not tried again in this process.
 */
const MAX_UNSAVED = 256;

/**
 * Results that the ledger has not stored. After an outage, a retry in this process returns them instead of reporting a
 * write as lost whose outcome is known.
 */
class UnsavedResults {
  readonly #byKey = new Map<string, ToolResult>();

  /** Keeps a result as the newest. Forgets the oldest one if there are too many. */
  keep(key: LedgerKey, result: ToolResult): void {
    const text = ledgerKeyText(key);
    // Deleted first, so that the map begins with the oldest result.
    this.#byKey.delete(text);
    this.#byKey.set(text, result);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > MAX_UNSAVED && oldest !== undefined) this.#byKey.delete(oldest);
  }

  find(key: LedgerKey): ToolResult | undefined {
    return this.#byKey.get(ledgerKeyText(key));
  }

  remove(key: LedgerKey): void {
    this.#byKey.delete(ledgerKeyText(key));
  }
}

import type { ToolApproval, ToolResult } from '../../contracts/tools/tool-call.ts';
import type { LedgerKey, ToolLedger } from '../../contracts/tools/tool-ledger.ts';

/**
 * Number of results that are remembered because storing them failed, the latest ones. While the ledger is away for
 * long, each of 32 KiB would stay for ever unless its call is tried again in this very process.
 */
const MAX_UNSAVED = 256;

/** One execution as the ledger sees it. */
export interface ToolExecution {
  readonly key: LedgerKey;
  readonly toolName: string;
  /** Raw JSON text of the call. */
  readonly arguments: string;
  /** The reply that allowed it. */
  readonly approval?: ToolApproval;
  /** True when the tool changes nothing, or a repeat has no further effect. */
  readonly mayRunAgain: boolean;
  /** Runs the call. `attempt` is that of the ledger, 1 for the first. */
  run(attempt: number): Promise<ToolResult>;
  /**
   * Returns the result when the execution was begun before, may not run again, and its outcome is not known: earlier
   * attempts must have no effect from that time on.
   */
  reportLost(attempt: number): Promise<ToolResult>;
  /** Returns the result when its approval has been used by another execution. */
  reportApprovalUsed(): ToolResult;
}

/**
 * Runs each execution once, whatever is retried around it: a finished one is answered from the ledger, an interrupted
 * write is reported as lost, an interrupted read or poll runs again.
 */
export const createExecuteOnce = (
  ledger: ToolLedger,
): ((execution: ToolExecution) => Promise<ToolResult>) => {
  // A write that succeeded while the ledger could not be reached is known here, so a retry in this process
  // need not report it as lost.
  const unsaved = new Map<string, ToolResult>();

  const save = async (key: LedgerKey, result: ToolResult): Promise<ToolResult> => {
    const name = JSON.stringify([key.turnId, key.phaseIndex, key.position]);
    unsaved.delete(name);
    unsaved.set(name, result);
    const [oldest] = unsaved.keys();
    if (unsaved.size > MAX_UNSAVED && oldest !== undefined) unsaved.delete(oldest);
    await ledger.finish(key, result);
    unsaved.delete(name);
    return result;
  };

  const resume = async (execution: ToolExecution, attempt: number): Promise<ToolResult> => {
    const { key } = execution;
    const known = unsaved.get(JSON.stringify([key.turnId, key.phaseIndex, key.position]));
    if (known !== undefined) return known;
    return execution.mayRunAgain ? execution.run(attempt) : execution.reportLost(attempt);
  };

  return async (execution) => {
    const { key, toolName, approval } = execution;
    const info = { toolName, arguments: execution.arguments, ...(approval && { approval }) };
    const entry = await ledger.begin(key, info);
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

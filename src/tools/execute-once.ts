import type { ToolEffect, ToolResult } from '../contracts/tool-call.ts';

/** Key of an execution: providers reuse call ids, so the place in the turn is what identifies it. */
export interface LedgerKey {
  readonly turnId: string;
  readonly phaseIndex: number;
  readonly position: number;
}

/**
 * Memory of executions that outlives this process (tools.md "Ledger"). Production: `tool_executions` in
 * Postgres. Rejects only when the store cannot be reached.
 */
export interface ToolLedger {
  begin(
    key: LedgerKey,
    info: { readonly toolName: string; readonly arguments: string },
  ): Promise<
    /** Never begun before: execute. */
    | { readonly kind: 'started' }
    | { readonly kind: 'finished'; readonly result: ToolResult }
    /** Begun by an attempt that left no result. */
    | { readonly kind: 'interrupted' }
  >;
  finish(key: LedgerKey, result: ToolResult): Promise<void>;
}

/** `error` of a result whose call may or may not have taken effect; the protocol core never repeats it. */
export const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN';

/** One execution as the ledger sees it. */
export interface Execution {
  readonly key: LedgerKey;
  readonly toolName: string;
  /** Raw JSON text of the call. */
  readonly arguments: string;
  readonly effect: ToolEffect;
  run(): Promise<ToolResult>;
  /** The result when a write was begun before and its outcome is not known. */
  lost(): ToolResult;
}

/**
 * Runs each execution once, whatever is retried around it: a finished one is answered from the ledger, an
 * interrupted write is reported as lost, an interrupted read or poll runs again.
 */
export const createExecuteOnce = (ledger: ToolLedger): ((execution: Execution) => Promise<ToolResult>) => {
  // A write that succeeded while the ledger could not be reached is known here, so a retry in this process
  // need not report it as lost.
  const unsaved = new Map<string, ToolResult>();

  const save = async (key: LedgerKey, result: ToolResult): Promise<ToolResult> => {
    const name = JSON.stringify([key.turnId, key.phaseIndex, key.position]);
    unsaved.set(name, result);
    await ledger.finish(key, result);
    unsaved.delete(name);
    return result;
  };

  const resume = (execution: Execution): Promise<ToolResult> | ToolResult => {
    const { key, effect } = execution;
    const known = unsaved.get(JSON.stringify([key.turnId, key.phaseIndex, key.position]));
    if (known !== undefined) return known;
    return effect === 'write' ? execution.lost() : execution.run();
  };

  return async (execution) => {
    const { key, toolName } = execution;
    const entry = await ledger.begin(key, { toolName, arguments: execution.arguments });
    switch (entry.kind) {
      case 'finished':
        return entry.result;
      case 'started':
        return save(key, await execution.run());
      case 'interrupted':
        return save(key, await resume(execution));
      default:
        return entry satisfies never;
    }
  };
};

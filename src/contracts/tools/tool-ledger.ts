import type { ToolApproval, ToolResult } from './tool-call.ts';

/** Key of an execution: providers reuse call ids, so the place in the turn is what identifies it (docs/tools.md). */
export interface LedgerKey {
  readonly turnId: string;
  readonly phaseIndex: number;
  /** Index of the call in its phase: 0, 1, … */
  readonly position: number;
}

/** Returns the key of an execution as one text, for maps and hashes. Equal keys have equal texts. */
export const ledgerKeyText = ({ turnId, phaseIndex, position }: LedgerKey): string =>
  JSON.stringify([turnId, phaseIndex, position]);

/** The ledger's record of an execution when an attempt begins; `attempt` is 1 for the first. */
export type LedgerEntry =
  /** The execution was never begun: it may run. */
  | { readonly kind: 'started'; readonly attempt: number }
  /** The execution has ended with this result. */
  | { readonly kind: 'finished'; readonly result: ToolResult }
  /**
   * An attempt began the execution and left no result, so the call may have run. A write then runs again only if its
   * tool is rerunnable.
   */
  | { readonly kind: 'unfinished'; readonly attempt: number }
  /** The approval was good for one execution, and another has used it. */
  | { readonly kind: 'spent' };

/** The change that a write is about to make to a file. */
export interface PlannedWrite {
  /** The path as the call gave it. */
  readonly path: string;
  /** One key for all names that the file has; see `Workspace.resolveTargetKey`. */
  readonly targetKey: string;
  /** Hash and size. Null if there is no file. */
  readonly before: { readonly sha256: string; readonly bytes: number } | null;
  readonly after: { readonly sha256: string; readonly bytes: number };
}

/**
 * A memory of executions that outlives workers: any worker can return the result of a call that another worker has run
 * (docs/tools.md). Production: `tool_executions` in Postgres. Its methods reject when the store cannot be reached.
 */
export interface ToolLedger {
  /** Notes that an attempt begins, and returns what is known of the execution. */
  begin(
    key: LedgerKey,
    call: { readonly toolName: string; readonly arguments: string; readonly approval?: ToolApproval },
  ): Promise<LedgerEntry>;
  /**
   * Stores what the attempt is about to change, for an undo of the turn, and returns true if the attempt may write now:
   * no later attempt has begun, no result is stored, the turn still runs, and the file is not being undone. Otherwise
   * it stores nothing and returns false, also if this attempt has stored a change before.
   */
  planWrite(key: LedgerKey, attempt: number, write: PlannedWrite): Promise<boolean>;
  /**
   * Reports whether the attempt still counts: no later attempt has begun, no result is stored, and the turn still runs.
   */
  holds(key: LedgerKey, attempt: number): Promise<boolean>;
  /**
   * Stores the result of the call. Returns the stored result, which is another one if an earlier attempt has stored its
   * own: that one stays.
   */
  finish(key: LedgerKey, result: ToolResult): Promise<ToolResult>;
}

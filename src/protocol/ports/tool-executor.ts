import type { GivenAnswer } from '../../contracts/inputs/reply.ts';
import type {
  ToolApproval,
  ToolCall,
  ToolDeclaration,
  ToolResult,
  TurnMode,
} from '../../contracts/tools/tool-call.ts';

/** The place of a call in its turn, for the executor. */
export interface ToolExecutionContext {
  readonly projectId: string;
  readonly requestId: string;
  readonly mode: TurnMode;
  readonly phaseIndex: number;
  /** Milliseconds to wait before the execution: unchanged polls are spaced. */
  readonly delayMs: number;
  /** End of the turn's time, by its clock: work that may take long must end before it. */
  readonly deadline?: number;
  /** Place of the first of these calls in its phase. Absent means 0. */
  readonly position?: number;
  /** Approval of the call that is executed, of which there is then only one, where somebody was asked about it. */
  readonly approval?: ToolApproval;
  /** Answer to the call that is executed, of which there is then only one, where somebody has given it. */
  readonly answer?: GivenAnswer;
  /** True when the write session that the call begins needs an approval before its commit. */
  readonly asksAtCommit?: true;
}

/** Executes tools. Expected failures are results with `success: false`; results come in the order of the calls. */
export interface ToolExecutor {
  executeToolCalls(calls: readonly ToolCall[], context: ToolExecutionContext): Promise<readonly ToolResult[]>;
  /** Returns the tool of a name or alias. Returns undefined for an unknown one. */
  describe?(name: string): ToolDeclaration | undefined;
  /**
   * Returns the names of the tools that this mode offers to the model, for the trace. Absent in the workflow, where
   * only activities know them.
   */
  offered?(mode: TurnMode): readonly string[];
  /**
   * Returns true when answers of a poll that differ only in durations, request ids or counters of attempts are news, as
   * in turns that older code began. Called only when that decides whether a poll runs again.
   */
  comparesVolatileNumbers?(): boolean;
}

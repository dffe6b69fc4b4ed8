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
  /** End of the turn's time, by its clock: what may take long ends before. */
  readonly deadline?: number;
  /** Place of the first of these calls in its phase; absent: 0. */
  readonly position?: number;
  /** Approval of the one call that is executed, where somebody was asked about it. */
  readonly approval?: ToolApproval;
  /** Answer to the one call that is executed, where somebody has given it. */
  readonly answer?: GivenAnswer;
  /** The write session that the call begins is asked about before its commit. */
  readonly asksAtCommit?: true;
}

/** Executes tools. Expected failures are results with `success: false`; results come in the order of the calls. */
export interface ToolExecutor {
  executeToolCalls(calls: readonly ToolCall[], context: ToolExecutionContext): Promise<readonly ToolResult[]>;
  /** The tool behind a name or alias; undefined for an unknown one. */
  describe?(name: string): ToolDeclaration | undefined;
  /** Names of the tools that this mode offers to the model, for the trace. In the workflow activities know them. */
  offered?(mode: TurnMode): readonly string[];
  /**
   * True: answers of a poll that differ in durations, request ids or counters of attempts alone are news, as they
   * were in turns that older code began. Asked only when that decides whether a poll runs again.
   */
  comparesTimings?(): boolean;
}

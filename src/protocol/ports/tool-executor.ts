import type { CallAnswerReference } from '../../contracts/inputs/reply.ts';
import type {
  ToolApproval,
  ToolCall,
  ToolDeclaration,
  ToolResult,
  TurnMode,
} from '../../contracts/tools/tool-call.ts';

/**
 * How the results of a poll are compared, to find out whether anything has changed since the last one. With
 * `ignoring_timings`, durations, request ids and counters of attempts do not count: `running, 12 ms` and `running, 15
 * ms` are the same result. With `including_timings` they are two results. Only turns of older code compare like that.
 */
export type PollComparison = 'ignoring_timings' | 'including_timings';

/** What an executor is told about the calls: the turn, their place in it, and how they may run. */
export interface ToolExecutorContext {
  readonly projectId: string;
  readonly requestId: string;
  readonly mode: TurnMode;
  readonly phaseIndex: number;
  /** Milliseconds to wait before the execution. It is above 0 only for a poll whose results no longer change. */
  readonly delayMs: number;
  /** The end of the turn's time, in milliseconds of its clock. Work that may take long must end before it. */
  readonly deadline?: number;
  /** Index of the first of the calls in its phase: 0, 1, … Absent means 0. */
  readonly position?: number;
  /** The approval by which the call may run. Present only for a single call. */
  readonly approval?: ToolApproval;
  /** The answer that somebody gave to the call. Present only for a single call. */
  readonly answer?: CallAnswerReference;
  /** True when the call begins a write session whose commit needs an approval. */
  readonly asksAtCommit?: true;
}

/** Executes tools. Expected failures are results with `success: false`; results come in the order of the calls. */
export interface ToolExecutor {
  executeToolCalls(calls: readonly ToolCall[], context: ToolExecutorContext): Promise<readonly ToolResult[]>;
  /** Returns the tool with this name or alias. Returns undefined if there is none. */
  describe?(name: string): ToolDeclaration | undefined;
  /**
   * Returns the names of the tools that this mode offers to the model, for the trace. Absent in the workflow, since
   * only activities know these tools.
   */
  offered?(mode: TurnMode): readonly string[];
  /**
   * Chooses how the results of polls are compared in this turn, `ignoring_timings` if absent. A workflow records the
   * choice in its history, so this is called only where the choice decides whether a poll runs again, and never to
   * judge a reply, which must change nothing.
   */
  choosePollComparison?(): PollComparison;
}

import type { SessionToBegin } from '../../contracts/payload/turn-activity-payloads.ts';
import { CHANGED_AFTER_APPROVAL } from '../../contracts/inputs/input-request.ts';
import {
  OUTCOME_UNKNOWN,
  type ToolApproval,
  type ToolCall,
  type ToolResult,
  type TurnMode,
} from '../../contracts/tools/tool-call.ts';
import type { WallClock } from '../../protocol/ports/wall-clock.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import { admitCall, type AdmittedCall } from './admit-call.ts';
import {
  type AttemptedOutcome,
  type AttemptLimits,
  DEFAULT_ATTEMPT_LIMITS,
  runAttempts,
} from './attempts.ts';
import { createExecuteOnce, type ToolExecution } from './execute-once.ts';
import type { LedgerKey } from '../../contracts/tools/tool-ledger.ts';
import { ledgerFence, type LedgerFenceDeps } from './ledger-fence.ts';
import { computeCurrentHash } from './preview-call.ts';
import type { ToolRegistry } from '../registry.ts';
import { withTurnTools } from '../turn-tools/turn-tools.ts';
import type { CallAnswer, LiveOutput, Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { toolResult } from './tool-result.ts';

/** The context of a call: its place in the turn, which is its key in the ledger, and what it may use. */
export interface ToolRunnerContext extends LedgerKey {
  readonly projectId: string;
  readonly mode: TurnMode;
  /** Aborted at a cancel of the turn or a shutdown of the worker. */
  readonly signal: AbortSignal;
  /** The write session that the call begins, if it begins one. */
  readonly writeSession?: SessionToBegin;
  /** Time at which the turn's time is up, in milliseconds since 1970. Absent means no limit. */
  readonly deadline?: number;
  /** Called with the output of a command while it runs. */
  readonly onOutput?: (output: LiveOutput) => void;
  /** The approval by which the call may run. Absent if none was needed. */
  readonly approval?: ToolApproval;
  /** The answer that a user or client gave to the call, in place of running it. Set only for tools that ask for one. */
  readonly answer?: CallAnswer;
  /** Tools of only this turn, which have priority over those of the registry. */
  readonly turnTools?: readonly Tool[];
  /**
   * Called with the outcome of an execution before it is cut for the model, and with the result that was made of it.
   * The call has another result if the ledger already has one. Must not throw.
   */
  readonly onOutcome?: (outcome: ToolOutcome, made: ToolResult) => void;
}

/**
 * Executes single tool calls (docs/tools.md). Expected failures are results. Rejects with the signal's reason once it
 * is aborted, and when the ledger cannot be reached. In both cases the outcome is not known, and the ledger decides
 * what a retry may do.
 */
export interface ToolRunner {
  execute(call: ToolCall, context: ToolRunnerContext): Promise<ToolResult>;
}

export interface ToolRunnerDeps extends LedgerFenceDeps {
  readonly registry: ToolRegistry;
  readonly clock: WallClock;
  readonly limits?: Partial<AttemptLimits>;
}

/**
 * Creates a runner for the tools of a registry. Each call, named by its place in the ledger, gets one result. A write
 * runs at most once unless it is rerunnable.
 */
export const createToolRunner = (deps: ToolRunnerDeps): ToolRunner => {
  const parts: RunnerParts = {
    ...deps,
    limits: { ...DEFAULT_ATTEMPT_LIMITS, ...deps.limits },
    executeOnce: createExecuteOnce(deps.ledger),
  };
  return { execute: (call, context) => executeCall(parts, call, context) };
};

interface RunnerParts extends ToolRunnerDeps {
  readonly limits: AttemptLimits;
  readonly executeOnce: ReturnType<typeof createExecuteOnce>;
}

const executeCall = async (
  runner: RunnerParts,
  call: ToolCall,
  context: ToolRunnerContext,
): Promise<ToolResult> => {
  const startedAt = runner.clock.now();
  const admitted = await admitCall(withTurnTools(runner.registry, context.turnTools), call, context.mode);
  const toResult = (attempted: AttemptedOutcome): ToolResult =>
    toolResult(call, admitted.tool, attempted, { startedAt, endedAt: runner.clock.now() });
  // A refused call has no effect, so it needs no entry in the ledger.
  if (!admitted.ok) return toResult({ outcome: admitted, attempts: 1 });
  context.signal.throwIfAborted();
  return runner.executeOnce(executionOf(runner, { ...admitted, call, context, toResult }));
};

/** A call that may run. `toResult` makes its result of what has become of it. */
interface RunnableCall extends Extract<AdmittedCall, { ok: true }> {
  readonly call: ToolCall;
  readonly context: ToolRunnerContext;
  readonly toResult: (attempted: AttemptedOutcome) => ToolResult;
}

const executionOf = (
  runner: RunnerParts,
  { tool, input, call, context, toResult }: RunnableCall,
): ToolExecution => {
  const key = { turnId: context.turnId, phaseIndex: context.phaseIndex, position: context.position };
  const contextOf = (attempt: number): ToolContext => ({
    ...context,
    fence: ledgerFence(runner, key, attempt),
  });
  return {
    key,
    toolName: toolLabel(tool.declaration.name),
    arguments: call.function.arguments,
    ...(context.approval && { approval: context.approval }),
    mayRunAgain: mayExecuteAgain(tool),
    reportApprovalUsed: () => toResult(APPROVAL_USED),
    run: async (attempt) => {
      if (!(await isAsApproved(tool, input, call, context))) return toResult(TARGET_CHANGED);
      const attempted = await runAttempts(tool, input, contextOf(attempt), runner.limits);
      const made = toResult(attempted);
      context.onOutcome?.(attempted.outcome, made);
      return made;
    },
    reportLost: async (attempt) => {
      await abandon(tool, input, contextOf(attempt));
      return toResult(INTERRUPTED);
    },
  };
};

const INTERRUPTED: AttemptedOutcome = {
  attempts: 1,
  outcome: {
    ok: false,
    error: OUTCOME_UNKNOWN,
    details: 'The execution was interrupted; it may or may not have taken effect. Check before you go on.',
  },
};

/** Returns the outcome of a call that was not run because it lacks a valid approval. */
const outcomeWithoutApproval = (error: string): AttemptedOutcome => ({
  attempts: 0,
  outcome: { ok: false, error },
});
const TARGET_CHANGED = outcomeWithoutApproval(CHANGED_AFTER_APPROVAL);
const APPROVAL_USED = outcomeWithoutApproval('The approval was used for another call.');

/**
 * Reports whether a call and the file that it would change are still as they were when the call was approved, as far as
 * an approval has a hash of them. This is checked after the ledger has recorded the attempt and right before the tool
 * runs.
 */
const isAsApproved = async (
  tool: Tool,
  input: unknown,
  call: ToolCall,
  { approval, projectId }: ToolRunnerContext,
): Promise<boolean> =>
  approval?.argsHash === undefined ||
  approval.argsHash === (await computeCurrentHash(tool, input, call.function.arguments, projectId));

/** Reports whether a call may run once more after the result of its execution was lost. */
const mayExecuteAgain = ({ declaration, mayRunAgain }: Tool): boolean =>
  declaration.effect !== 'write' || mayRunAgain === true;

/**
 * Removes the temporary files of a write, so that an attempt whose process was paused cannot complete it later. Throws
 * if the removal has failed for a reason that may soon pass. Any other refusal of the workspace is ignored, because
 * nothing can be written through such a path.
 */
const abandon = async (tool: Tool, input: unknown, context: ToolContext): Promise<void> => {
  try {
    await tool.abandon?.(input, context);
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.isTransient) throw error;
  }
};

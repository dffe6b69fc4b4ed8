import type { Mode, ToolCall, ToolResult } from '../contracts/tool-call.ts';
import type { Clock } from '../protocol/ports.ts';
import { toolLabel } from '../protocol/tool-name.ts';
import { admitCall } from './admit-call.ts';
import { DEFAULT_ATTEMPT_LIMITS, runAttempts } from './attempts.ts';
import type { AttemptedOutcome, AttemptLimits } from './attempts.ts';
import { createExecuteOnce, OUTCOME_UNKNOWN } from './execute-once.ts';
import type { LedgerKey, ToolLedger } from './execute-once.ts';
import type { ToolRegistry } from './registry.ts';
import { resultFields } from './result-fields.ts';

/** Where a call stands: its place in the turn is its key in the ledger. */
export interface ToolCallContext extends LedgerKey {
  readonly projectId: string;
  readonly mode: Mode;
  /** Cancel of the turn or shutdown of the worker. */
  readonly signal: AbortSignal;
}

/**
 * Executes single tool calls (tools.md "Tool runner"). Expected failures are results. Rejects with the
 * signal's reason once it is aborted, and when the ledger cannot be reached: then nothing is known to have
 * ended, and the ledger decides what a retry may do.
 */
export interface ToolRunner {
  execute(call: ToolCall, context: ToolCallContext): Promise<ToolResult>;
}

export interface ToolRunnerDeps {
  readonly registry: ToolRegistry;
  readonly ledger: ToolLedger;
  readonly clock: Clock;
  readonly limits?: Partial<AttemptLimits>;
}

const LOST: AttemptedOutcome = {
  attempts: 1,
  outcome: {
    ok: false,
    error: OUTCOME_UNKNOWN,
    details: 'The execution was interrupted; it may or may not have taken effect. Check before you go on.',
  },
};

export const createToolRunner = (deps: ToolRunnerDeps): ToolRunner => {
  const limits = { ...DEFAULT_ATTEMPT_LIMITS, ...deps.limits };
  const executeOnce = createExecuteOnce(deps.ledger);
  return {
    async execute(call, context) {
      const startedAt = deps.clock.now();
      const admitted = admitCall(deps.registry, call, context.mode);
      const toolName = toolLabel(admitted.tool?.declaration.name ?? call.function.name);
      const toResult = ({ outcome, attempts }: AttemptedOutcome): ToolResult => {
        const now = deps.clock.now();
        const durationMs = Math.max(0, now - startedAt);
        const timestamp = new Date(now).toISOString();
        return { toolCallId: call.id, toolName, ...resultFields(outcome), attempts, durationMs, timestamp };
      };
      if (!admitted.ok) return toResult({ outcome: admitted, attempts: 1 });
      context.signal.throwIfAborted();
      return executeOnce({
        key: { turnId: context.turnId, phaseIndex: context.phaseIndex, position: context.position },
        toolName,
        arguments: call.function.arguments,
        effect: admitted.tool.declaration.effect,
        run: async () => toResult(await runAttempts(admitted.tool, admitted.input, context, limits)),
        lost: () => toResult(LOST),
      });
    },
  };
};

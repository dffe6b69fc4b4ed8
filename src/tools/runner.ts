import type { SessionToBegin } from '../contracts/payload/turn-activities.ts';
import type { Mode, ToolCall, ToolResult } from '../contracts/tool-call.ts';
import type { Clock } from '../protocol/turn/ports.ts';
import { toolLabel } from '../protocol/calls/tool-name.ts';
import { admitCall } from './admit-call.ts';
import {
  type AttemptedOutcome,
  type AttemptLimits,
  DEFAULT_ATTEMPT_LIMITS,
  runAttempts,
} from './attempts.ts';
import { createExecuteOnce, type LedgerKey, OUTCOME_UNKNOWN, type ToolLedger } from './execute-once.ts';
import type { ToolRegistry } from './registry.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { WorkspaceError } from '../files/workspace/workspace-error.ts';
import { createHash } from 'node:crypto';
import type { WriteFence } from '../files/workspace/write-fence.ts';
import { safeText } from '../contracts/safe-text.ts';
import { beginning, limitForModel } from '../base/result-limit.ts';
import { toSafeJson } from '../base/safe-json.ts';

const MAX_ERROR_BYTES = 4 * 1024;
const MAX_DETAILS_BYTES = 16 * 1024;

/** An outcome as fields of a result: safe for JSON and Postgres, and small enough for the model. */
const resultFields = (
  outcome: ToolOutcome,
): Pick<ToolResult, 'success' | 'result' | 'error' | 'details' | 'retryable'> => {
  if (outcome.ok) return { success: true, result: limitForModel(toSafeJson(outcome.result)) };
  const { error, details, transient, retryable } = outcome;
  return {
    success: false,
    error: shortened(safeText(error)),
    ...(details === undefined ? {} : { details: limitForModel(toSafeJson(details), MAX_DETAILS_BYTES) }),
    ...(transient === true || retryable === true ? { retryable: true } : {}),
  };
};

const shortened = (error: string): string => {
  const start = beginning(error, MAX_ERROR_BYTES);
  return start === error ? error : `${start}…`;
};

const OWNER_CHARACTERS = 32;

/** The fence of one attempt of an execution: its row in the ledger decides (docs/write-sessions.md). */
const fenceOf = (ledger: ToolLedger, key: LedgerKey, attempt: number): WriteFence => ({
  owner: ownerOf(key),
  attempt,
  async holds() {
    try {
      return await ledger.holds(key, attempt);
    } catch (cause) {
      throw new Error('nothing was written: the ledger of tool executions cannot be reached', { cause });
    }
  },
});

/** A turn's id may hold what no file name can. */
const ownerOf = ({ turnId, phaseIndex, position }: LedgerKey): string =>
  createHash('sha256')
    .update(JSON.stringify([turnId, phaseIndex, position]))
    .digest('hex')
    .slice(0, OWNER_CHARACTERS);

/** Where a call stands: its place in the turn is its key in the ledger. */
export interface ToolCallContext extends LedgerKey {
  readonly projectId: string;
  readonly mode: Mode;
  /** Cancel of the turn or shutdown of the worker. */
  readonly signal: AbortSignal;
  readonly writeSession?: SessionToBegin;
  /** Told what came of an execution before it is cut to what the model may see. Must not throw. */
  readonly onOutcome?: (outcome: ToolOutcome) => void;
}

/**
 * Executes single tool calls (docs/tools.md). Expected failures are results. Rejects with the
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

/** After its execution was lost on the way. */
const mayRunAgain = ({ declaration, rerunnable }: Tool): boolean =>
  declaration.effect !== 'write' || rerunnable === true;

/** Where nothing can be taken away, because the path leads nowhere, nothing can have been written either. */
const abandon = async (tool: Tool, input: unknown, context: ToolContext): Promise<void> => {
  try {
    await tool.abandon?.(input, context);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
  }
};

export const createToolRunner = (deps: ToolRunnerDeps): ToolRunner => {
  const limits = { ...DEFAULT_ATTEMPT_LIMITS, ...deps.limits };
  const executeOnce = createExecuteOnce(deps.ledger);
  return {
    async execute(call, context) {
      const startedAt = deps.clock.now();
      const admitted = await admitCall(deps.registry, call, context.mode);
      const toolName = toolLabel(admitted.tool?.declaration.name ?? call.function.name);
      const toResult = ({ outcome, attempts }: AttemptedOutcome): ToolResult => {
        const now = deps.clock.now();
        const durationMs = Math.max(0, now - startedAt);
        const timestamp = new Date(now).toISOString();
        return { toolCallId: call.id, toolName, ...resultFields(outcome), attempts, durationMs, timestamp };
      };
      if (!admitted.ok) return toResult({ outcome: admitted, attempts: 1 });
      context.signal.throwIfAborted();
      const { tool, input } = admitted;
      const key = { turnId: context.turnId, phaseIndex: context.phaseIndex, position: context.position };
      const toolContext = (attempt: number) => ({ ...context, fence: fenceOf(deps.ledger, key, attempt) });
      return executeOnce({
        key,
        toolName,
        arguments: call.function.arguments,
        mayRunAgain: mayRunAgain(tool),
        run: async (attempt) => {
          const attempted = await runAttempts(tool, input, toolContext(attempt), limits);
          context.onOutcome?.(attempted.outcome);
          return toResult(attempted);
        },
        lost: async (attempt) => {
          await abandon(tool, input, toolContext(attempt));
          return toResult(LOST);
        },
      });
    },
  };
};

import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities.ts';
import type { ToolCall, ToolDeclaration, ToolResult } from '../src/contracts/tool-call.ts';
import { toolLabel } from '../src/protocol/tool-name.ts';
import type { ToolExecutionContext, ToolExecutor } from '../src/protocol/ports.ts';
import { executeToolOptions } from './activity-options.ts';
import { isTurnFenced } from './fence.ts';
import { turnRef } from './turn-context.ts';
import type { TurnContext } from './turn-context.ts';

const { executeTool } = proxyActivities<Pick<Activities, 'executeTool'>>({ startToCloseTimeout: '1 minute' });

/** The tool port inside the workflow: one `executeTool` activity per call, in order. */
export class ActivityBackedTools implements ToolExecutor {
  readonly #turn: TurnContext;
  readonly #declarations: ReadonlyMap<string, ToolDeclaration>;

  constructor(turn: TurnContext, declarations: ReadonlyMap<string, ToolDeclaration>) {
    this.#turn = turn;
    this.#declarations = declarations;
  }

  /** Known once the model has named the tool: declarations travel with the outcome of the call that named it. */
  describe(name: string): ToolDeclaration | undefined {
    return this.#declarations.get(name);
  }

  async executeToolCalls(
    calls: readonly ToolCall[],
    context: ToolExecutionContext,
  ): Promise<readonly ToolResult[]> {
    const results: ToolResult[] = [];
    for (const [position, call] of calls.entries())
      results.push(await this.#execute(call, position, context));
    return results;
  }

  async #execute(call: ToolCall, position: number, context: ToolExecutionContext): Promise<ToolResult> {
    const { input, cancellation } = this.#turn;
    const { mode, phaseIndex, delayMs } = context;
    const request = { ...turnRef(this.#turn), mode, call, phaseIndex, position, delayMs };
    try {
      return await executeTool.executeWithOptions(
        executeToolOptions(toolSummary(call), input.heartbeatTimeoutMs),
        [request],
      );
    } catch (error) {
      if (isTurnFenced(error) || cancellation.requested || isCancellation(error)) throw error;
      return outcomeUnknown(call);
    }
  }
}

/** `tool FileSystemTool.read_file README.md`: the first short text argument says what the call is about. */
const toolSummary = (call: ToolCall): string => {
  const name = toolLabel(call.function.name);
  const subject = /:\s*"([^"\\]{1,80})"/.exec(call.function.arguments)?.[1] ?? '';
  return `tool ${name} ${subject}`.trim();
};

/** Every attempt was lost: the tool may have run. The model must be told so, it may not be run again. */
const outcomeUnknown = (call: ToolCall): ToolResult => ({
  toolCallId: call.id,
  toolName: toolLabel(call.function.name),
  success: false,
  error: 'OUTCOME_UNKNOWN',
  details: 'The execution was lost; it may or may not have taken effect.',
  attempts: 1,
  durationMs: 0,
  timestamp: new Date().toISOString(),
});

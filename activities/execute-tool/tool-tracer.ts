import type { ExecuteToolInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import { parseArguments } from '../../src/protocol/stream/tool-arguments.ts';
import { toolLabel } from '../../src/contracts/tools/tool-name.ts';
import { toolCallKey, toolResultKey } from '../../src/contracts/turn/trace-keys.ts';
import type { ToolOutcome } from '../../src/tools/tool.ts';
import { ActivityTracer, type TracerDeps } from '../attempt/activity-tracer.ts';

/**
 * Records the traces of one tool execution: the call, and its result. The traced result is whole even if the model saw
 * only a part of it. Only a result of another attempt, which the ledger has kept, is traced as it was cut for the
 * model.
 */
export class ToolTracer {
  readonly #tracer: ActivityTracer;
  readonly #input: ExecuteToolInput;
  /** What this attempt has done, and the JSON of the result that was made of it. */
  #own: { readonly outcome: ToolOutcome; readonly resultJson: string } | undefined;

  constructor(deps: TracerDeps, input: ExecuteToolInput) {
    this.#input = input;
    this.#tracer = new ActivityTracer(deps, input, input.position);
  }

  /** Records the call, with its arguments as JSON if they can be parsed, otherwise as the model wrote them. */
  recordCall(): void {
    const { call, mode } = this.#input;
    const { name, arguments: text } = call.function;
    this.#tracer.add({
      key: toolCallKey(this.#input),
      type: 'tool_call',
      source: 'orion',
      summary: toolLabel(name),
      details: { toolCallId: call.id, name, arguments: parseArguments(text) ?? text, mode },
    });
  }

  /** Notes the outcome of this attempt before it is cut for the model, and the result that was made of it. */
  readonly noteOutcome = (outcome: ToolOutcome, toolResult: ToolResult): void => {
    this.#own = { outcome, resultJson: JSON.stringify(toolResult) };
  };

  /** Records the result that the turn gets, which may be that of another attempt. */
  recordResult(toolResult: ToolResult): void {
    const { toolCallId, toolName, success, result, error, details, attempts, durationMs } = toolResult;
    const outcome = this.#outcomeOf(toolResult);
    const whole = outcome?.ok === true ? (outcome.traceResult ?? outcome.result) : result;
    const wholeError = outcome?.ok === false ? outcome.error : error;
    this.#tracer.add({
      key: toolResultKey(this.#input),
      type: 'tool_result',
      source: 'tool',
      summary: `${toolName} ${success ? 'succeeded' : 'failed'}`,
      error,
      details: success
        ? { toolCallId, toolName, success, attempts, durationMs, result: whole }
        : { toolCallId, toolName, success, attempts, durationMs, error: wholeError, details },
    });
  }

  /** Stores what was recorded. It waits and resolves as `ActivityTracer.close` does. */
  close(): Promise<void> {
    return this.#tracer.close();
  }

  /**
   * Returns the outcome that a result was made of if this attempt has made it. The ledger returns results as JSON, in
   * which the times of two attempts differ.
   */
  #outcomeOf(toolResult: ToolResult): ToolOutcome | undefined {
    return this.#own?.resultJson === JSON.stringify(toolResult) ? this.#own.outcome : undefined;
  }
}

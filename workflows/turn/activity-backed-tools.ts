import { isCancellation, patched, proxyActivities, uuid4 } from '@temporalio/workflow';
import type { TurnActivities } from '../../activities/create-activities.ts';
import { BEGIN_WRITE_SESSION, describeBuiltInTool } from '../../src/contracts/tools/built-in-tools.ts';
import type { SessionToBegin } from '../../src/contracts/payload/turn-activity-payloads.ts';
import {
  OUTCOME_UNKNOWN,
  type ToolCall,
  type ToolDeclaration,
  type ToolResult,
} from '../../src/contracts/tools/tool-call.ts';
import { toolLabel } from '../../src/contracts/tools/tool-name.ts';
import { isoTime } from '../../src/contracts/values/iso-time.ts';
import type {
  PollComparison,
  ToolExecutorContext,
  ToolExecutor,
} from '../../src/protocol/ports/tool-executor.ts';
import { toolCallKey, toolResultKey } from '../../src/contracts/turn/trace-keys.ts';
import { executeToolOptions, START_TO_CLOSE_SET_PER_CALL } from '../sdk/activity-options.ts';
import type { TurnRun } from './turn-run.ts';
import { isTurnSuperseded } from './superseded-run.ts';
import { takeActivityInput } from './activity-input.ts';

const { executeTool } = proxyActivities<Pick<TurnActivities, 'executeTool'>>(START_TO_CLOSE_SET_PER_CALL);

/** The tool port inside the workflow: one `executeTool` activity per call, one after another. */
export class ActivityBackedTools implements ToolExecutor {
  readonly #run: TurnRun;
  readonly #declarations: ReadonlyMap<string, ToolDeclaration>;
  readonly #sessions: { readonly leftOpenSession: string | undefined };

  constructor(
    run: TurnRun,
    declarations: ReadonlyMap<string, ToolDeclaration>,
    sessions: { readonly leftOpenSession: string | undefined },
  ) {
    this.#run = run;
    this.#declarations = declarations;
    this.#sessions = sessions;
  }

  /**
   * Returns the declaration of a tool. Returns undefined if the model has not named it yet, or if there is no such
   * tool. Declarations travel with the outcome of the call that named the tool.
   */
  describe(name: string): ToolDeclaration | undefined {
    const declared = this.#declarations.get(name);
    // A declaration that an older worker has put into a history shows only by its name that the tool begins a session.
    return declared?.name === BEGIN_WRITE_SESSION
      ? { ...describeBuiltInTool(BEGIN_WRITE_SESSION), ...declared }
      : declared;
  }

  /**
   * Chooses how the results of polls are compared, and writes a marker about it into the history. Older code compared
   * them including durations and counters, and a replay must decide as the code did that made the history.
   */
  choosePollComparison(): PollComparison {
    return patched('polls-ignore-timings') ? 'ignoring_timings' : 'including_timings';
  }

  async executeToolCalls(
    calls: readonly ToolCall[],
    context: ToolExecutorContext,
  ): Promise<readonly ToolResult[]> {
    const results: ToolResult[] = [];
    const { position: firstPosition = 0 } = context;
    for (const [index, call] of calls.entries()) {
      results.push(await this.#execute(call, firstPosition + index, context));
    }
    return results;
  }

  async #execute(call: ToolCall, position: number, context: ToolExecutorContext): Promise<ToolResult> {
    const { input, traces, resolutions, cancellation, state, openWaits } = this.#run;
    const { mode, phaseIndex, delayMs, approval, answer, deadline } = context;
    const longestMs = this.describe(call.function.name)?.longestMs;
    const activityInput = takeActivityInput(this.#run);
    const summary = `tool ${phaseIndex} · ${calledTool(call)}`;
    try {
      const request = {
        ...activityInput,
        mode,
        call,
        phaseIndex,
        position,
        delayMs,
        ...this.#sessionFor(call, context),
        ...(approval && { approval }),
        ...(answer && { answer }),
        ...(longestMs !== undefined && deadline !== undefined && { deadline }),
      };
      const options = executeToolOptions(summary, input.heartbeatTimeoutMs, longestMs);
      const result = await openWaits.for(`a tool: activity executeTool "${summary}"`, () =>
        executeTool.executeWithOptions(options, [request]),
      );
      traces.noteStored(activityInput.traces);
      resolutions.noteStored(activityInput);
      state.noteExecution(summary, result);
      return result;
    } catch (error) {
      if (isTurnSuperseded(error)) throw error;
      const isCancelled = cancellation.isRequested || isCancellation(error);
      this.#recordLoss(call, { phaseIndex, position }, isCancelled ? 'CANCELLED' : OUTCOME_UNKNOWN);
      if (isCancelled) throw error;
      state.noteExecution(summary, { success: false, error: OUTCOME_UNKNOWN });
      return outcomeUnknown(call);
    }
  }

  /**
   * Returns the session that a call begins, or nothing for other calls. The session's id is chosen here, so that a
   * repeated attempt begins the same session.
   */
  #sessionFor(call: ToolCall, { asksAtCommit }: ToolExecutorContext): { writeSession?: SessionToBegin } {
    if (this.describe(call.function.name)?.beginsWriteSession === undefined) return {};
    const { sessionInactivityMs } = this.#run.input;
    const replaces = this.#sessions.leftOpenSession;
    return {
      writeSession: {
        sessionId: uuid4(),
        ...(sessionInactivityMs !== undefined && { inactivityMs: sessionInactivityMs }),
        ...(replaces !== undefined && { replaces }),
        ...(asksAtCommit && { needsApproval: true }),
      },
    };
  }

  /** Records the lost execution in case its activity never began. Records of the activity itself replace these. */
  #recordLoss(call: ToolCall, place: { phaseIndex: number; position: number }, error: string): void {
    const summary = toolLabel(call.function.name);
    this.#run.traces.recordLost(
      { key: toolCallKey(place), type: 'tool_call', source: 'orion', summary },
      { key: toolResultKey(place), type: 'tool_result', source: 'tool', summary, error },
    );
  }
}

/**
 * Returns a call in words, such as `FileSystemTool.read_file README.md`. The first short text argument of a call
 * usually says what the call is about.
 */
const calledTool = (call: ToolCall): string => {
  const name = toolLabel(call.function.name);
  const subject = /:\s*"([^"\\]{1,80})"/.exec(call.function.arguments)?.[1] ?? '';
  return `${name} ${subject}`.trim();
};

/**
 * Returns the result of a call whose activity has failed, usually because all attempts were lost. The tool may have
 * run, so the model must learn that, and the workflow must not run the call again.
 */
const outcomeUnknown = (call: ToolCall): ToolResult => ({
  toolCallId: call.id,
  toolName: toolLabel(call.function.name),
  success: false,
  error: OUTCOME_UNKNOWN,
  details: 'The execution was lost; it may or may not have taken effect.',
  attempts: 1,
  durationMs: 0,
  timestamp: isoTime(Date.now()),
});

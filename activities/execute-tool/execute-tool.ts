import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ExecuteToolInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import type { CallAnswer } from '../../src/tools/tool.ts';
import type { ToolRunnerContext, ToolRunner } from '../../src/tools/run/runner.ts';
import type { LanePublisher } from '../../src/live/lane.ts';
import { requireFirstRun } from '../attempt/first-run.ts';
import { withHeartbeat, type HeartbeatDeps } from '../attempt/heartbeat.ts';
import { isInterrupted } from '../attempt/interruption.ts';
import type { TracerDeps } from '../attempt/activity-tracer.ts';
import { loadTurnTools } from '../turn/load-turn-tools.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { ReplyContents } from '../../src/db/inputs/reply-contents.ts';
import { attemptInterruptedFailure } from '../attempt/activity-failures.ts';
import { type ResolutionDeps, storeResolutions } from '../turn/store-resolutions.ts';
import { ToolTracer } from './tool-tracer.ts';
import { openLatestLane, type LaneDeps } from '../turn/turn-lane.ts';

export interface ExecuteToolDeps extends LaneDeps, HeartbeatDeps, TracerDeps, ResolutionDeps {
  readonly runner: ToolRunner;
  readonly replyContents: Pick<ReplyContents, 'find'>;
}

/**
 * Creates the activity that executes one tool call. Expected failures are results. The ledger of tool executions makes
 * a repeated attempt harmless.
 */
export const createExecuteTool =
  (deps: ExecuteToolDeps) =>
  async (input: ExecuteToolInput): Promise<ToolResult> => {
    requireFirstRun(input);
    const signal = Context.current().cancellationSignal;
    const stop = new AbortController();
    const lane = openLatestLane(deps, input, (control) => {
      if (control === 'cancel') stop.abort();
    });
    const tracer = new ToolTracer(deps, input);
    const context = contextOf(input, { signal: AbortSignal.any([signal, stop.signal]), tracer, lane });
    tracer.recordCall();
    try {
      return await withHeartbeat(
        deps,
        () => undefined,
        async () => {
          await storeResolutions(deps, input);
          if (input.delayMs > 0) await delay(input.delayMs, undefined, { signal: context.signal });
          const answer = await findCallAnswer(deps, input);
          const turnTools = await loadTurnTools(deps, input);
          const whole = { ...context, turnTools, ...(answer && { answer }) };
          const execute = () => deps.runner.execute(input.call, whole);
          const result = await withDatabaseRetries(execute, signal);
          tracer.recordResult(result);
          return result;
        },
      );
    } catch (error) {
      throw isInterrupted() ? attemptInterruptedFailure() : error;
    } finally {
      await Promise.all([lane.close(), tracer.close()]);
    }
  };

interface AttemptParts {
  readonly signal: AbortSignal;
  readonly tracer: ToolTracer;
  readonly lane: Pick<LanePublisher, 'output'>;
}

const contextOf = (input: ExecuteToolInput, { signal, tracer, lane }: AttemptParts): ToolRunnerContext => {
  const { turnId, projectId, mode, phaseIndex, position, writeSession, approval, deadline } = input;
  return {
    turnId,
    projectId,
    mode,
    phaseIndex,
    position,
    signal,
    onOutcome: tracer.noteOutcome,
    ...(writeSession !== undefined && { writeSession }),
    ...(approval !== undefined && { approval }),
    ...(deadline !== undefined && { deadline }),
    onOutput: (output) => lane.output({ type: 'tool_output', callId: input.call.id, ...output }),
  };
};

/**
 * Returns the answer that somebody has given to the call. Returns undefined if there is none, or if its content is no
 * longer stored. A long answer is read from Postgres, because the workflow's history has only its hash.
 */
const findCallAnswer = async (
  { replyContents }: Pick<ExecuteToolDeps, 'replyContents'>,
  { turnId, answer }: ExecuteToolInput,
): Promise<CallAnswer | undefined> => {
  if (answer === undefined) return undefined;
  const { ok, content: carried, contentSha256 } = answer;
  if (carried !== undefined) return { ok, content: carried };
  if (contentSha256 === undefined) return undefined;
  const { cancellationSignal } = Context.current();
  const find = () => replyContents.find(turnId, contentSha256);
  const content = await withDatabaseRetries(find, cancellationSignal);
  return content === undefined ? undefined : { ok, content };
};

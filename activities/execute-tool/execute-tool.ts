import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ExecuteToolInput } from '../../src/contracts/payload/turn-activities.ts';
import type { ToolResult } from '../../src/contracts/tool-call.ts';
import type { ToolRunner } from '../../src/tools/runner.ts';
import { assertFirstRun, isInterrupted, withHeartbeat, type HeartbeatDeps } from '../activity-attempt.ts';
import type { TraceDeps } from '../activity-trace.ts';
import { whileDatabaseRestarts } from '../../src/db/database-patience.ts';
import { attemptInterrupted } from '../failures.ts';
import { ToolTrace } from './tool-trace.ts';
import { openTurnLane, type LaneDeps } from '../turn-lane.ts';

export interface ExecuteToolDeps extends LaneDeps, HeartbeatDeps, TraceDeps {
  readonly runner: ToolRunner;
}

/** One tool execution; expected failures are results. Its ledger makes a repeated attempt harmless. */
export const createExecuteTool =
  (deps: ExecuteToolDeps) =>
  async (input: ExecuteToolInput): Promise<ToolResult> => {
    assertFirstRun(input);
    const signal = Context.current().cancellationSignal;
    const stop = new AbortController();
    const lane = openTurnLane(deps, input, latestEpoch(input), (control) => {
      if (control === 'cancel') stop.abort();
    });
    const trace = new ToolTrace(deps, input);
    const { turnId, projectId, mode, phaseIndex, position, writeSession } = input;
    const context = {
      turnId,
      projectId,
      mode,
      phaseIndex,
      position,
      signal: AbortSignal.any([signal, stop.signal]),
      onOutcome: trace.noteOutcome,
      ...(writeSession === undefined ? {} : { writeSession }),
    };
    trace.called();
    try {
      return await withHeartbeat(
        deps,
        () => undefined,
        async () => {
          if (input.delayMs > 0) await delay(input.delayMs, undefined, { signal: context.signal });
          const execute = () => deps.runner.execute(input.call, context);
          const result = await whileDatabaseRestarts(execute, signal);
          trace.ended(result);
          return result;
        },
      );
    } catch (error) {
      throw isInterrupted() ? attemptInterrupted() : error;
    } finally {
      await Promise.all([lane.close(), trace.close()]);
    }
  };

/** The lane connection stands for the workflow's own epoch, whose events it carries. */
const latestEpoch = ({ prelude }: ExecuteToolInput): number => prelude.at(-1)?.epoch ?? 0;

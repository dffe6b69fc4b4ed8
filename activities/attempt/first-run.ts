import { Context } from '@temporalio/activity';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { turnSupersededFailure } from './activity-failures.ts';

/**
 * Throws `turnSupersededFailure` if the activity does not belong to the first run of its workflow. A reset in the Web
 * UI begins another run, which may not act.
 */
export const requireFirstRun = (input: Pick<TurnActivityInput, 'firstExecutionRunId'>): void => {
  const runId = Context.current().info.workflowExecution?.runId;
  if (runId !== input.firstExecutionRunId) throw turnSupersededFailure('the workflow was reset');
};

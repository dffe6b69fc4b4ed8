import { workflowInfo } from '@temporalio/workflow';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { TurnRun } from './turn-run.ts';

/**
 * Returns the fields of `TurnActivityInput` for the next activity. It takes the prelude out of the log, so it must be
 * called only once for each activity.
 */
export const takeActivityInput = ({ input, turnLog, traces, resolutions }: TurnRun) =>
  ({
    turnId: input.turnId,
    projectId: input.projectId,
    conversationId: input.conversationId,
    firstExecutionRunId: workflowInfo().firstExecutionRunId,
    ...resolutions.pending(),
    ...(input.liveLane !== undefined && { liveLane: input.liveLane }),
    ...(input.notifies && { notifies: input.notifies }),
    ...turnToolChoice(input),
    prelude: turnLog.takePrelude(),
    traces: traces.pending(),
  }) satisfies TurnActivityInput;

/** Returns which turn tools the turn has. The field is missing if it has none. */
const turnToolChoice = ({ inputs }: TurnInput): Pick<TurnActivityInput, 'ownTools'> => {
  const mayAskUser = inputs?.accepts?.includes('question');
  const hasClientTools = inputs?.accepts?.includes('client_tool');
  return mayAskUser || hasClientTools
    ? {
        ownTools: {
          ...(mayAskUser && { question: mayAskUser }),
          ...(hasClientTools && { client: hasClientTools }),
        },
      }
    : {};
};

import type { TurnActivities } from '../../../activities/create-activities.ts';
import type { InputActivities } from '../../../activities/inputs/input-activities.ts';
import { scriptedInputs } from './scripted-inputs.ts';
import { scriptedCall, type ScriptedAnswer } from './scripted-activities.ts';
import { scriptedWriting } from './scripted-writing.ts';

export const beginsFile = (path: string): ScriptedAnswer => ({
  calls: [scriptedCall('WritePlanTool_begin', { target_file: path, operation: 'overwrite' }, path)],
});

/** Returns activities of a turn that writes files and asks before each. */
export const scriptedCommits = (answers: readonly ScriptedAnswer[]) => {
  const { scripted, activities: writing } = scriptedWriting(answers);
  const { activities: asking, prepared, announced, nextRequest } = scriptedInputs([]);
  const activities: TurnActivities & InputActivities = { ...asking, ...writing };
  return { scripted, activities, prepared, announced, nextRequest };
};

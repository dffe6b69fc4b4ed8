import type { TurnActivities } from '../../../activities/create-activities.ts';
import type { InputActivities } from '../../../activities/inputs/input-activities.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { ARGS_HASH, scriptedInputs } from './scripted-inputs.ts';
import { toolCall, type ScriptedAnswer } from './scripted-activities.ts';
import { scriptedWriting } from './scripted-writing.ts';

/** The hash of the target's content as every request shows it. */
export const BEFORE = contentRefOf('before').sha256;

export const beginsFile = (path: string): ScriptedAnswer => ({
  calls: [toolCall('WritePlanTool_begin', { target_file: path, operation: 'overwrite' }, path)],
});

/** Returns activities of a turn that writes files and asks before each. */
export const scriptedCommits = (answers: readonly ScriptedAnswer[]) => {
  const { scripted, activities: writing } = scriptedWriting(answers);
  const { activities: asking, prepared, announced, nextRequest } = scriptedInputs([]);
  const activities: TurnActivities & InputActivities = {
    ...asking,
    ...writing,
    prepareInput: (input) => {
      prepared.push(input);
      const shown = { argsHash: ARGS_HASH, arguments: '{}', target: 'a.md', diff: '-one\n+two\n' };
      return Promise.resolve({ kind: 'ready', shown, ...(input.session && { before: BEFORE }) });
    },
  };
  return { scripted, activities, prepared, announced, nextRequest };
};

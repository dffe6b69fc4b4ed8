/** Tests that the scripted activities of turns do what the workflow relies on, as those of a worker do. */
import { randomUUID } from 'node:crypto';
import { contentRefOf } from '../../src/write-session/content-ref.ts';
import { modelInput } from '../activities/support/activity-inputs.ts';
import { describeInputActivities } from '../activities/support/input-activities-contract.ts';
import { describeTurnActivities } from '../activities/support/turn-activities-contract.ts';
import { describeClosing } from '../activities/support/closing-contract.ts';
import { describeKeeping } from '../activities/support/keeping-contract.ts';
import { answered as answeredTurn } from '../support/turn-fixtures.ts';
import { ScriptedActivities } from './support/scripted-activities.ts';
import { scriptedInputs } from './support/scripted-inputs.ts';

describeTurnActivities('scripted', (answer) => ({
  activities: new ScriptedActivities([answer]),
  signalled: [],
}));

describeKeeping('scripted', () => {
  const { keepWriteSession } = new ScriptedActivities([]);
  return {
    keepWriteSession,
    begin: async (text) => ({
      ...modelInput(),
      sessionId: randomUUID(),
      phases: [{ end: 'ended', skip: 0, source: { text } }],
      content: contentRefOf(text),
      commit: true,
    }),
  };
});

describeClosing('scripted', () => {
  const { closeTurn, ends } = new ScriptedActivities([]);
  return {
    closeTurn,
    begin: async () => {
      const turnId = randomUUID();
      return { ...modelInput({ turnId }), ...answeredTurn(turnId, '0-1') };
    },
    async statusOf(turnId) {
      const terminal = ends.get(turnId);
      return terminal?.type === 'error' ? 'failed' : terminal?.status;
    },
  };
});

describeInputActivities('scripted', () => scriptedInputs([]).activities);

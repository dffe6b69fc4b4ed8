/** The activities that tests of turns script are like those that a worker runs. */
import { describeTurnActivities } from '../activities/support/turn-activities-contract.ts';
import { ScriptedActivities } from './support/scripted-activities.ts';

describeTurnActivities('scripted', (answer) => ({
  activities: new ScriptedActivities([answer]),
  signalled: [],
}));

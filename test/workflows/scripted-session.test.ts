/** Tests that the scripted activities of write sessions do what the workflow relies on, as those of a worker do. */
import {
  contentRef,
  DRAFT,
  failedOutcome,
  ScriptedSession,
  sessionInput,
} from '../support/scripted-session.ts';
import { describeSessionActivities } from '../support/session-activities-contract.ts';

describeSessionActivities('scripted', () => {
  const failing = new Set<string>();
  const activities = new ScriptedSession((_n, { sessionId }) =>
    failing.has(sessionId) ? failedOutcome : undefined,
  );
  const begin = async () => ({ sessionId: sessionInput().sessionId, firstExecutionRunId: 'run' });
  return {
    activities,
    begin,
    beginThatFailsToCommit: async () => {
      const input = await begin();
      failing.add(input.sessionId);
      return input;
    },
    store: async () => contentRef('a'),
    draft: async () => DRAFT,
  };
});

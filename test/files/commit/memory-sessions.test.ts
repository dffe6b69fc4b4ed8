import { describeCommitSessions } from '../support/commit-sessions-contract.ts';
import { MemorySessions } from '../support/memory-sessions.ts';

describeCommitSessions('in memory', () => {
  const sessions = new MemorySessions();
  return {
    sessions,
    begin: () => {
      const row = sessions.begin('docs/big.md', 'overwrite');
      row.targetKey = row.sessionId;
      return Promise.resolve(row.sessionId);
    },
    expire: (sessionId) => Promise.resolve(sessions.end(sessionId, 'expired')),
  };
});

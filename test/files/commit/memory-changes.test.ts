import { randomUUID } from 'node:crypto';
import { MemoryChanges } from '../support/memory-changes.ts';
import { describeTurnChanges } from '../support/turn-changes-contract.ts';

describeTurnChanges('in memory', () => {
  const changes = new MemoryChanges();
  return {
    changes,
    startTurn: () => Promise.resolve(randomUUID()),
    change: async (turnId, ...made) => {
      for (const one of made) changes.add(turnId, { ...one, isCertain: false });
    },
    beginWriting: async (_turnId, targetKey) => {
      changes.taken.add(targetKey);
      return async () => void changes.taken.delete(targetKey);
    },
  };
});

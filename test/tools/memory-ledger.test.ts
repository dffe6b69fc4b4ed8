import { MemoryLedger } from './support/memory-ledger.ts';
import { describeToolLedger } from './support/tool-ledger-contract.ts';

describeToolLedger('in memory', () => {
  const ledger = new MemoryLedger();
  return {
    ledger,
    turnId: 'turn',
    endTurn: async () => void ledger.endedTurns.add('turn'),
    duringUndo: async (targetKey, work) => {
      ledger.beingUndone.add(targetKey);
      const result = await work();
      ledger.beingUndone.delete(targetKey);
      return result;
    },
  };
});

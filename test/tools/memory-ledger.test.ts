import { MemoryLedger } from './support/memory-ledger.ts';
import { describeToolLedger } from './support/tool-ledger-contract.ts';

describeToolLedger('in memory', 'turn', () => new MemoryLedger());

import { createHash } from 'node:crypto';
import type { LedgerKey, ToolLedger } from './execute-once.ts';
import type { WriteFence } from '../files/workspace/write-fence.ts';

const OWNER_CHARACTERS = 32;

/** The fence of one attempt of an execution: its row in the ledger decides (docs/write-sessions.md). */
export const fenceOf = (ledger: ToolLedger, key: LedgerKey, attempt: number): WriteFence => ({
  owner: ownerOf(key),
  attempt,
  async holds() {
    try {
      return await ledger.holds(key, attempt);
    } catch (cause) {
      throw new Error('nothing was written: the ledger of tool executions cannot be reached', { cause });
    }
  },
});

/** A turn's id may hold what no file name can. */
const ownerOf = ({ turnId, phaseIndex, position }: LedgerKey): string =>
  createHash('sha256')
    .update(JSON.stringify([turnId, phaseIndex, position]))
    .digest('hex')
    .slice(0, OWNER_CHARACTERS);

import { createHash } from 'node:crypto';
import { type LedgerKey, type ToolLedger, ledgerKeyText } from '../../contracts/tools/tool-ledger.ts';
import type { WriteFence } from '../../files/workspace/write-fence.ts';

const WRITE_NAME_CHARACTERS = 32;

export interface LedgerFenceDeps {
  readonly ledger: ToolLedger;
  /** Stores copies for an undo. In production that is the content store. */
  readonly copies: Pick<WriteFence, 'storeCopy'>;
}

/**
 * Makes the fence of one attempt of an execution. The row of the execution in the ledger decides whether the attempt
 * may still write (docs/tools.md "The contract of a tool"). `plan` and `holds` reject when the ledger cannot be
 * reached.
 */
export const ledgerFence = (
  { ledger, copies }: LedgerFenceDeps,
  key: LedgerKey,
  attempt: number,
): WriteFence => ({
  writeName: writeNameOf(key),
  attempt,
  storeCopy: (bytes) => copies.storeCopy(bytes),
  plan: (write) => askLedger(ledger.planWrite(key, attempt, write), 'nothing was written'),
  holds: () => askLedger(ledger.holds(key, attempt), 'nothing was run'),
});

const askLedger = async (answer: Promise<boolean>, otherwise: string): Promise<boolean> => {
  try {
    return await answer;
  } catch (cause) {
    throw new Error(`${otherwise}: the ledger of tool executions cannot be reached`, { cause });
  }
};

/**
 * Returns the name of the execution as a part of a file name. It is a hash, so it is short and has only letters and
 * digits, whatever the id of the turn.
 */
const writeNameOf = (key: LedgerKey): string =>
  createHash('sha256').update(ledgerKeyText(key)).digest('hex').slice(0, WRITE_NAME_CHARACTERS);

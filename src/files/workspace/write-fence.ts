import type { PlannedWrite } from '../../contracts/tools/tool-ledger.ts';
import type { TargetState } from './target-file.ts';

/**
 * The right of one attempt to write a file. A later attempt of the same write, or the process that gives the write up,
 * takes it away (docs/write-sessions.md).
 */
export interface WriteFence {
  /** Name of the writer, the same for all attempts of one write; safe as a part of a file name. */
  readonly owner: string;
  /** Number of the attempt, 1 for the first. */
  readonly attempt: number;
  /** Keeps the content of the file, so that the write can be taken back; returns hash and size. */
  storeCopy(bytes: AsyncIterable<Uint8Array>): Promise<TargetState>;
  /**
   * Returns true when the write is open and no later attempt has begun, and stores the change with that. Rejects when
   * that cannot be found out: nothing is written then.
   */
  plan(write: PlannedWrite): Promise<boolean>;
  /**
   * Returns true when the write is open and no later attempt has begun; for work that is not the change of one file.
   * Rejects as `plan` does.
   */
  holds(): Promise<boolean>;
}

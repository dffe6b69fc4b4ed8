import type { PlannedWrite } from '../../contracts/tools/tool-ledger.ts';
import type { TargetState } from './target-file.ts';

/**
 * The right of one attempt to write a file. A later attempt of the same write, or whoever gives the write up, takes
 * it away (docs/write-sessions.md).
 */
export interface WriteFence {
  /** Name of the writer, the same for all attempts of one write; safe as a part of a file name. */
  readonly owner: string;
  /** Number of the attempt, 1 for the first. */
  readonly attempt: number;
  /** Keeps what the file holds, so that the write can be taken back; answers hash and size. */
  keep(bytes: AsyncIterable<Uint8Array>): Promise<TargetState>;
  /**
   * The write is open and no later attempt has begun; what it does is stored with that. Rejects when that cannot be
   * found out: then nothing is written.
   */
  plan(write: PlannedWrite): Promise<boolean>;
  /**
   * The write is open and no later attempt has begun: for what is done and is no change of one file. Rejects as `plan`.
   */
  holds(): Promise<boolean>;
}

import type { PlannedWrite } from '../../contracts/tools/tool-ledger.ts';
import type { TargetState } from './target-file.ts';

/**
 * The right of one attempt to write a file. A later attempt of the same write, or the process that gives the write up,
 * takes it away (docs/tools.md "The contract of a tool").
 */
export interface WriteFence {
  /** Name of the write, the same for all of its attempts. It is safe as a part of a file name. */
  readonly writeName: string;
  /** Number of the attempt, 1 for the first. */
  readonly attempt: number;
  /** Keeps a copy of the file's content, so that the write can be taken back. Returns its hash and size. */
  storeCopy(bytes: AsyncIterable<Uint8Array>): Promise<TargetState>;
  /**
   * Stores the change and returns true if the write is open and no later attempt has begun. Unless it returns true,
   * nothing may be written. Rejects when that cannot be found out.
   */
  plan(write: PlannedWrite): Promise<boolean>;
  /**
   * Reports whether the write is open and no later attempt has begun, for work that is not the change of one file.
   * Rejects when that cannot be found out.
   */
  holds(): Promise<boolean>;
}

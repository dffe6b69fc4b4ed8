/**
 * The right of one attempt to write a file. A later attempt of the same write, or whoever gives the write up, takes
 * it away (docs/write-sessions.md).
 */
export interface WriteFence {
  /** The same for all attempts of one write; safe as a part of a file name. */
  readonly owner: string;
  /** 1 is the first. */
  readonly attempt: number;
  /** The write is open and no later attempt has begun. Rejects when that cannot be found out: then nothing is written. */
  holds(): Promise<boolean>;
}

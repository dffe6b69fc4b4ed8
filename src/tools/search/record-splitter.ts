import { KIB } from '../../contracts/values/units.ts';

/** Number of bytes that are kept of a record. No path and no line that ripgrep is asked for is longer. */
const MAX_RECORD_BYTES = 64 * KIB;

/** Cuts a stream of bytes into records, each ended by `separator`, and hands them on until no more is wanted. */
export class RecordSplitter {
  readonly #separator: number;
  readonly #take: (record: string) => boolean;
  #rest: Buffer = Buffer.alloc(0);
  #isStopped = false;

  constructor(separator: number, take: (record: string) => boolean) {
    this.#separator = separator;
    this.#take = take;
  }

  /** True when `take` has said that no more is wanted. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Takes the next bytes. Returns false once no more is wanted. */
  feed(chunk: Buffer): boolean {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = bytes.indexOf(this.#separator);
      if (this.#isStopped || end < 0) break;
      this.#isStopped = !this.#take(bytes.toString('utf8', 0, Math.min(end, MAX_RECORD_BYTES)));
      bytes = bytes.subarray(end + 1);
    }
    this.#rest = bytes.subarray(0, MAX_RECORD_BYTES);
    return !this.#isStopped;
  }
}

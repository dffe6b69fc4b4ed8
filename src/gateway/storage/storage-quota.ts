import { DAY_MS, MIB } from '../../contracts/values/units.ts';

/** Counts what an owner has stored on a day, over all gateways. Production: `src/db/usage/stored-bytes.ts`. */
export interface StoredBytes {
  /** Returns the bytes counted on the UTC day `YYYY-MM-DD`. */
  findUsed(owner: string, day: string): Promise<number>;
  /** Adds `bytes` in one statement, unless the sum would exceed `limit`. Returns whether they were added. */
  add(owner: string, day: string, bytes: number, limit: number): Promise<boolean>;
}

/**
 * Says that an owner may not store more today. `used` and `limit` are bytes, and `resetsAt` is the next midnight (UTC).
 */
export interface QuotaRefusal {
  readonly kind: 'refused';
  readonly used: number;
  readonly limit: number;
  readonly resetsAt: Date;
}

/**
 * The result of reserving bytes: they count against the quota of the owner until `release` gives them back, or they are
 * refused.
 */
export type ReservedBytes = { readonly kind: 'taken'; readonly release: () => void } | QuotaRefusal;

export interface StorageQuotaDeps {
  readonly stored: StoredBytes;
  /** The bytes that an owner may store on a UTC day. 0 means no limit. */
  readonly limit: number;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Number of bytes that are counted in Postgres ahead of time, or 1 % of the limit if that is less, so that small
 * messages need not each cost a statement. What is left of them is lost when a gateway or the day ends.
 */
const BLOCK_BYTES = MIB;
/**
 * Milliseconds between two checks of what an owner has used today, for requests that need no bytes beyond those counted
 * ahead.
 */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Holds every owner to the bytes that it may store on a UTC day. Methods reject with the error of Postgres when it has
 * to be asked and is away.
 */
export class StorageQuota {
  readonly #deps: StorageQuotaDeps;
  /** Bytes that were counted in Postgres and not used yet, by day and owner. */
  readonly #unused = new Map<string, number>();
  /** The result of the last check of what an owner has used today, and its time in milliseconds. */
  readonly #lastChecks = new Map<
    string,
    { readonly at: number; readonly refusal: QuotaRefusal | undefined }
  >();
  #day = '';

  constructor(deps: StorageQuotaDeps) {
    this.#deps = deps;
  }

  /** Counts `bytes`, or returns the refusal if they exceed the limit. */
  async reserve(owner: string, bytes: number): Promise<ReservedBytes> {
    if (this.#deps.limit === 0 || bytes === 0) return { kind: 'taken', release: () => undefined };
    const day = this.#today();
    const aheadBytes = Math.min(bytes, this.#unusedOf(day, owner));
    // Taken before Postgres answers: another request must not spend the same bytes meanwhile.
    this.#addUnused(day, owner, -aheadBytes);
    const missingBytes = bytes - aheadBytes;
    let isReserved = false;
    try {
      const counted = missingBytes === 0 ? 0 : await this.#count(day, owner, missingBytes);
      isReserved = counted >= missingBytes;
      if (isReserved) this.#addUnused(day, owner, counted - missingBytes);
    } finally {
      // The bytes are refused, or Postgres did not answer: nothing will be stored for them.
      if (!isReserved) this.#addUnused(day, owner, aheadBytes);
    }
    if (!isReserved) return this.#readRefusal(day, owner);
    return { kind: 'taken', release: () => this.#addUnused(day, owner, bytes) };
  }

  /**
   * Returns the refusal of bytes that could not be reserved now. Returns undefined if they could, as far as the last
   * check shows. Reserves nothing.
   */
  async findRefusal(owner: string, bytes: number): Promise<QuotaRefusal | undefined> {
    const { limit } = this.#deps;
    const day = this.#today();
    if (limit === 0) return undefined;
    if (bytes <= this.#unusedOf(day, owner)) return this.#lastRefusal(day, owner);
    const refusal = await this.#readRefusal(day, owner);
    return refusal.used + bytes > limit ? refusal : undefined;
  }

  /**
   * Returns the result of the last check, and starts another one in the background if that was long ago. The bytes of
   * turns are counted when they end (src/db/usage/stored-bytes.ts) and may exceed the limit. Small messages are then
   * refused, although bytes that were counted ahead are left.
   */
  #lastRefusal(day: string, owner: string): QuotaRefusal | undefined {
    const lastCheck = this.#lastChecks.get(owner) ?? { at: Number.NEGATIVE_INFINITY, refusal: undefined };
    if (this.#deps.now() - lastCheck.at >= CHECK_INTERVAL_MS) {
      this.#lastChecks.set(owner, { ...lastCheck, at: this.#deps.now() });
      // Whatever failed, the last result stays. If Postgres is away, storing the request fails, too.
      this.#check(day, owner).catch(() => undefined);
    }
    return lastCheck.refusal;
  }

  async #check(day: string, owner: string): Promise<void> {
    const refusal = await this.#readRefusal(day, owner);
    if (day !== this.#day) return;
    const isOver = refusal.used + this.#unusedOf(day, owner) > refusal.limit;
    this.#lastChecks.set(owner, { at: this.#deps.now(), refusal: isOver ? refusal : undefined });
  }

  /**
   * Counts bytes in Postgres, where they stay counted. Returns their number: `bytes`, or a whole block, or 0 if the
   * limit does not allow `bytes`.
   */
  async #count(day: string, owner: string, bytes: number): Promise<number> {
    const { stored, limit } = this.#deps;
    const blockBytes = Math.min(BLOCK_BYTES, Math.floor(limit / 100));
    if (blockBytes > bytes && (await stored.add(owner, day, blockBytes, limit))) return blockBytes;
    return (await stored.add(owner, day, bytes, limit)) ? bytes : 0;
  }

  async #readRefusal(day: string, owner: string): Promise<QuotaRefusal> {
    const { stored, limit } = this.#deps;
    const used = (await stored.findUsed(owner, day)) - this.#unusedOf(day, owner);
    return { kind: 'refused', used, limit, resetsAt: new Date(Date.parse(day) + DAY_MS) };
  }

  #unusedOf(day: string, owner: string): number {
    return this.#unused.get(`${day} ${owner}`) ?? 0;
  }

  #addUnused(day: string, owner: string, bytes: number): void {
    if (day === this.#day) this.#unused.set(`${day} ${owner}`, this.#unusedOf(day, owner) + bytes);
  }

  #today(): string {
    const day = new Date(this.#deps.now()).toISOString().slice(0, 10);
    if (day !== this.#day) {
      this.#unused.clear();
      this.#lastChecks.clear();
    }
    this.#day = day;
    return day;
  }
}

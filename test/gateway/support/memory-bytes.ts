import type { StoredBytes } from '../../../src/gateway/storage/storage-quota.ts';

/**
 * Counts bytes as the database does, to which `describeStoredBytes` holds it. A test may read and change the days.
 * Their keys are `<day> <owner>`.
 */
export class MemoryBytes implements StoredBytes {
  readonly days = new Map<string, number>();

  findUsed(owner: string, day: string): Promise<number> {
    return Promise.resolve(this.days.get(`${day} ${owner}`) ?? 0);
  }

  /** Counts bytes in one step, as the statement in the database does. */
  add(owner: string, day: string, bytes: number, limit: number): Promise<boolean> {
    const key = `${day} ${owner}`;
    const used = (this.days.get(key) ?? 0) + bytes;
    if (used <= limit) this.days.set(key, used);
    return Promise.resolve(used <= limit);
  }
}

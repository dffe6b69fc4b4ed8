import type { StoredBytes } from '../../../src/gateway/storage/key-bytes.ts';

/** Counts as the database does; a test may look at the days, and change them: `<day> <owner>`. */
export class MemoryBytes implements StoredBytes {
  readonly days = new Map<string, number>();

  used(owner: string, day: string): Promise<number> {
    return Promise.resolve(this.days.get(`${day} ${owner}`) ?? 0);
  }

  /** In one step, as the statement that it stands for. */
  add(owner: string, day: string, bytes: number, limit: number): Promise<boolean> {
    const key = `${day} ${owner}`;
    const used = (this.days.get(key) ?? 0) + bytes;
    if (used <= limit) this.days.set(key, used);
    return Promise.resolve(used <= limit);
  }
}

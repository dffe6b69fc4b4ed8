import type { Database } from './database.ts';

/** Bytes that owners (API keys) have stored, by UTC day; over all gateways. */
export interface StoredBytesRepository {
  /** Bytes counted on the day `YYYY-MM-DD`. */
  used(owner: string, day: string): Promise<number>;
  /** Adds `bytes` unless that passes `limit`, in one statement; answers whether it did. */
  add(owner: string, day: string, bytes: number, limit: number): Promise<boolean>;
}

export function createStoredBytes(db: Database): StoredBytesRepository {
  return {
    async used(owner, day) {
      const row = await db
        .selectFrom('stored_bytes')
        .select('bytes')
        .where('owner', '=', owner)
        .where('day', '=', day)
        .executeTakeFirst();
      return Number(row?.bytes ?? 0);
    },
    async add(owner, day, bytes, limit) {
      if (bytes > limit) return false;
      const row = await db
        .insertInto('stored_bytes')
        .values({ owner, day, bytes })
        .onConflict((conflict) =>
          conflict
            .columns(['owner', 'day'])
            .doUpdateSet(({ eb }) => ({ bytes: eb('stored_bytes.bytes', '+', String(bytes)) }))
            .where(({ eb }) => eb('stored_bytes.bytes', '<=', String(limit - bytes))),
        )
        .returning('bytes')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

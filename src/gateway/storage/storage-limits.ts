import { ApiError } from '../errors/api-error.ts';
import type { FreeSpace } from './free-space.ts';
import type { StorageQuota } from './storage-quota.ts';

/** The limits that keep people from filling the disks, as the routes that store something see them. */
export interface StorageLimits {
  /**
   * Runs `work`, which stores at most `bytes` for `owner`, while this amount of space is held. Rejects with ApiError
   * `storage_quota_exceeded` or `storage_full` (RFC 4918, section 11.5) before anything is stored. Counts no bytes.
   */
  withHeldSpace<T>(owner: string, bytes: number, work: () => Promise<T>): Promise<T>;
  /**
   * Counts bytes that are about to be stored. The returned function takes that back. Rejects with ApiError
   * `storage_quota_exceeded`.
   */
  countBytes(owner: string, bytes: number): Promise<() => void>;
}

/**
 * Creates the limits. They check the quota of the key first, about which its client can do something, and then the
 * disk.
 */
export const createStorageLimits = (quota: StorageQuota, free: FreeSpace): StorageLimits => ({
  async withHeldSpace(owner, bytes, work) {
    await requireQuota(quota, owner, bytes);
    const release = await free.hold(bytes);
    if (release === undefined) throw storageFull();
    try {
      return await work();
    } finally {
      release();
    }
  },
  async countBytes(owner, bytes) {
    const counted = await quota.reserve(owner, bytes);
    if (counted.kind === 'refused') throw quotaExceeded(counted);
    return counted.release;
  },
});

const requireQuota = async (quota: StorageQuota, owner: string, bytes: number): Promise<void> => {
  const refused = await quota.refusalOf(owner, bytes);
  if (refused) throw quotaExceeded(refused);
};

const quotaExceeded = ({
  used,
  limit,
  resetsAt,
}: {
  used: number;
  limit: number;
  resetsAt: Date;
}): ApiError =>
  new ApiError(
    'storage_quota_exceeded',
    `This key has stored ${used} of ${limit} bytes that it may store a day; counted anew from ${resetsAt.toISOString()}.`,
    { details: { used, limit, resets_at: resetsAt.toISOString() } },
  );

const storageFull = (): ApiError =>
  new ApiError(
    'storage_full',
    'The server has too little free disk space to store this (ORION_MIN_FREE_BYTES). Try again when there is more.',
  );

import { ApiError } from '../errors/api-error.ts';
import type { FreeSpace } from './free-space.ts';
import type { StorageQuota } from './storage-quota.ts';

/** What a request is about to store at most. `owner` is the one for whom its bytes count. */
export interface StorageRequest<T> {
  readonly owner: string;
  readonly maxBytes: number;
  /** Reports whether a result means that the counted bytes are stored. Otherwise they are given back. */
  readonly isStored: (result: T) => boolean;
}

/**
 * Counts bytes that are about to be stored. It is called once, when their number is known. Rejects with ApiError
 * `storage_quota_exceeded`.
 */
export type CountBytes = (bytes: number) => Promise<void>;

/** The limits that keep people from filling the disks, as whatever stores something for a request sees them. */
export interface StorageLimits {
  /**
   * Runs `store` while space for `maxBytes` is held. The bytes that `store` counts are given back if it rejects, or if
   * its result is not `isStored`. Rejects with ApiError `storage_quota_exceeded` or `storage_full` (RFC 4918, section
   * 11.5) before anything is stored.
   */
  storeCounted<T>(request: StorageRequest<T>, store: (count: CountBytes) => Promise<T>): Promise<T>;
}

/**
 * Creates the limits. They check the quota of the key first, about which its client can do something, and then the
 * disk.
 */
export const createStorageLimits = (quota: StorageQuota, free: FreeSpace): StorageLimits => ({
  async storeCounted({ owner, maxBytes, isStored }, store) {
    await requireQuota(quota, owner, maxBytes);
    const release = await free.hold(maxBytes);
    if (release === undefined) throw storageFullError();
    let giveBack = (): void => undefined;
    try {
      const result = await store(async (bytes) => {
        giveBack = await countBytes(quota, owner, bytes);
      });
      if (isStored(result)) giveBack = () => undefined;
      return result;
    } finally {
      giveBack();
      release();
    }
  },
});

/** Reports whether an error is a refusal of `StorageLimits`: nothing was stored. Never throws. */
export const isStorageRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'storage_quota_exceeded' || error.code === 'storage_full');

/** Counts bytes, and returns the function that takes this back. */
const countBytes = async (quota: StorageQuota, owner: string, bytes: number): Promise<() => void> => {
  const counted = await quota.reserve(owner, bytes);
  if (counted.kind === 'refused') throw quotaExceededError(counted);
  return counted.release;
};

const requireQuota = async (quota: StorageQuota, owner: string, bytes: number): Promise<void> => {
  const refusal = await quota.findRefusal(owner, bytes);
  if (refusal) throw quotaExceededError(refusal);
};

const quotaExceededError = ({
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

const storageFullError = (): ApiError =>
  new ApiError(
    'storage_full',
    'The server has too little free disk space to store this (ORION_MIN_FREE_BYTES). Try again when there is more.',
  );

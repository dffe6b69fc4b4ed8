import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceConfig } from '../../config/config.ts';
import type { Database } from '../../db/connection/database.ts';
import { createStoredBytes } from '../../db/usage/stored-bytes.ts';
import { FreeSpace } from './free-space.ts';
import { StorageQuota } from './storage-quota.ts';
import { createStorageLimits, type StorageLimits } from './storage-limits.ts';

/**
 * Returns the folders on whose disks people's data is stored; where root started the stack, the database may be on
 * another disk.
 */
export const dataFolders = ({
  dataDir,
  workspace,
}: Pick<ServiceConfig, 'dataDir' | 'workspace'>): readonly string[] => {
  const database = join(dataDir, 'postgres-place');
  return [dataDir, workspace, ...(existsSync(database) ? [database] : [])];
};

type StorageConfig = Pick<ServiceConfig, 'dataDir' | 'workspace' | 'storage'>;

/**
 * Creates the storage limits of a gateway: bytes per key counted in Postgres, free space read from the disks of
 * `config`.
 */
export const composeStorage = (config: StorageConfig, db: Database): StorageLimits =>
  createStorageLimits(
    new StorageQuota({
      stored: createStoredBytes(db),
      limit: config.storage.keyBytesPerDay,
      now: () => Date.now(),
    }),
    freeSpaceOf(config),
  );

/** Measures free space on the disks of this configuration; what other processes hold is not counted. */
export const freeSpaceOf = ({ dataDir, workspace, storage }: StorageConfig): FreeSpace =>
  new FreeSpace({ folders: dataFolders({ dataDir, workspace }), reserve: storage.minFreeBytes });

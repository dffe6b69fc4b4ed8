import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceConfig } from '../../config/config.ts';
import type { Database } from '../../db/connection/database.ts';
import { createStoredBytesRepository } from '../../db/usage/stored-bytes.ts';
import { FreeSpace } from '../storage/free-space.ts';
import { StorageQuota } from '../storage/storage-quota.ts';
import { createStorageLimits, type StorageLimits } from '../storage/storage-limits.ts';

/**
 * Returns the folders on whose disks people's data is stored. If root started the stack, the database may be on a disk
 * of its own, to which the link `postgres-place` leads.
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
 * Creates the storage limits of a gateway. Bytes of each key are counted in Postgres, and free space is read from the
 * disks of `config`.
 */
export const composeStorage = (config: StorageConfig, db: Database): StorageLimits =>
  createStorageLimits(
    new StorageQuota({
      stored: createStoredBytesRepository(db),
      limit: config.storage.keyBytesPerDay,
      now: () => Date.now(),
    }),
    freeSpaceOf(config),
  );

/**
 * Creates the measurement of free space on the disks of this configuration. It knows only the space that is held
 * through itself.
 */
export const freeSpaceOf = ({ dataDir, workspace, storage }: StorageConfig): FreeSpace =>
  new FreeSpace({ folders: dataFolders({ dataDir, workspace }), reserve: storage.minFreeBytes });

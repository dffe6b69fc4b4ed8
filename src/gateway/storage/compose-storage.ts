import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceConfig } from '../../config/config.ts';
import type { Database } from '../../db/connection/database.ts';
import { createStoredBytes } from '../../db/usage/stored-bytes.ts';
import { FreeSpace } from './free-space.ts';
import { KeyBytes } from './key-bytes.ts';
import { createStorageLimits, type StorageLimits } from './storage-limits.ts';

/** Folders whose disks people's data go to; where root started the stack the database may lie on another one. */
export const dataFolders = ({
  dataDir,
  workspace,
}: Pick<ServiceConfig, 'dataDir' | 'workspace'>): readonly string[] => {
  const database = join(dataDir, 'postgres-place');
  return [dataDir, workspace, ...(existsSync(database) ? [database] : [])];
};

type StorageConfig = Pick<ServiceConfig, 'dataDir' | 'workspace' | 'storage'>;

/** Storage limits of a gateway: bytes per key counted in Postgres, free space asked of the disks of `config`. */
export const composeStorage = (config: StorageConfig, db: Database): StorageLimits =>
  createStorageLimits(
    new KeyBytes({
      stored: createStoredBytes(db),
      limit: config.storage.keyBytesPerDay,
      now: () => Date.now(),
    }),
    freeSpaceOf(config),
  );

/** Free place on the disks of this configuration; what others hold does not count in it. */
export const freeSpaceOf = ({ dataDir, workspace, storage }: StorageConfig): FreeSpace =>
  new FreeSpace({ folders: dataFolders({ dataDir, workspace }), reserve: storage.minFreeBytes });

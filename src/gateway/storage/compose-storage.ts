import type { ServiceConfig } from '../../config/config.ts';
import type { Database } from '../../db/database.ts';
import { createStoredBytes } from '../../db/stored-bytes.ts';
import { FreeSpace } from './free-space.ts';
import { KeyBytes } from './key-bytes.ts';
import { createStorageLimits, type StorageLimits } from './storage-limits.ts';

export const composeStorage = (
  { dataDir, workspace, storage }: Pick<ServiceConfig, 'dataDir' | 'workspace' | 'storage'>,
  db: Database,
): StorageLimits =>
  createStorageLimits(
    new KeyBytes({ stored: createStoredBytes(db), limit: storage.keyBytesPerDay, now: () => Date.now() }),
    new FreeSpace({ folders: [dataDir, workspace], reserve: storage.minFreeBytes }),
  );

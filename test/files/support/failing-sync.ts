import { jest } from '@jest/globals';
import { Directory } from '../../../src/files/workspace/directory.ts';

/**
 * Runs `work` while no directory can be synced, as if the disk were broken. No file system fails at this on request, so
 * this is the one method of our own that tests replace.
 */
export const withFailingSync = async (work: () => Promise<void>): Promise<void> => {
  const broken = Object.assign(new Error('EIO'), { code: 'EIO' });
  const sync = jest.spyOn(Directory.prototype, 'sync').mockRejectedValue(broken);
  try {
    await work();
  } finally {
    sync.mockRestore();
  }
};

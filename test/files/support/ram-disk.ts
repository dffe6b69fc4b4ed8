import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from '@jest/globals';

const mount = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'orion-test', folder], { encoding: 'utf8' });

const canMount = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'orion-mount-'));
  const isMounted = mount(folder).status === 0;
  if (isMounted) spawnSync('umount', [folder]);
  rmdirSync(folder);
  return isMounted;
};

/** Runs a test that needs a small disk of its own. It is reported as skipped where this account may not mount one. */
export const itWithDisk = canMount() ? it : it.skip;

/** Runs `work` while a new file system of 64 KiB is mounted at `folder`, which is created. */
export const withSmallDisk = async (folder: string, work: () => Promise<void>): Promise<void> => {
  await mkdir(folder);
  const { status, stderr } = mount(folder);
  if (status !== 0) throw new Error(`mount failed: ${stderr}`);
  try {
    await work();
  } finally {
    spawnSync('umount', [folder]);
  }
};

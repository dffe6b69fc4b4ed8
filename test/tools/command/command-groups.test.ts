/** Covers control groups of commands, in a folder that stands for their mount point. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openCommandGroups } from '../../../src/tools/command/command-groups.ts';

const isRoot = process.getuid?.() === 0;
const groups = isRoot ? await openCommandGroups() : undefined;
let mountedAt: string;
beforeEach(async () => {
  mountedAt = await mkdtemp(join(tmpdir(), 'orion-groups-'));
});
afterEach(() => rm(mountedAt, { recursive: true, force: true }));

it('there are no groups of commands without a file system for groups, and nothing is left there', async () => {
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  for (const line of own.split('\n').filter(Boolean)) {
    const [, controllers = '', path = ''] = line.split(':');
    await mkdir(join(mountedAt, controllers, path), { recursive: true });
  }
  await writeFile(join(mountedAt, 'pids.max'), 'max');
  expect(await openCommandGroups(mountedAt)).toBeUndefined();
  const left = await readdir(mountedAt, { recursive: true });
  expect(left.filter((name) => name.includes('orion-command-'))).toEqual([]);
  expect(await openCommandGroups(join(mountedAt, 'missing'))).toBeUndefined();
});

const itWithGroups = groups ? it : it.skip;
itWithGroups('groups of commands stay while another worker opens its own, and go when removed', async () => {
  const group = await groups!.create(10);
  await openCommandGroups();
  expect(await readFile(group.joinFile.replace('cgroup.procs', 'pids.max'), 'utf8')).toBe('10\n');
  await group.remove();
  await expect(readFile(group.joinFile)).rejects.toThrow('ENOENT');
});

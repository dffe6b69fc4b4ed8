/** Covers files that belong to one living process; when it dies, one other process inherits them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { findLockOwner, takeLock } from '../../../src/stack/processes/lock-file.ts';
import { readStartTime } from '../../../src/stack/processes/process-identity.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-lock-'));
  file = join(folder, 'locked');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DEAD = '=1 SIGTERM 999\n';
const own = `=${process.pid} SIGTERM ${readStartTime(process.pid)}\n`;
const parent = `=${process.ppid} SIGTERM ${readStartTime(process.ppid)}\n`;

it('a lock is ours when nobody has it, and nothing else is left beside it', async () => {
  expect(findLockOwner(file)).toBeUndefined();
  expect(await takeLock(file)).toBeUndefined();
  expect(findLockOwner(file)).toBe(process.pid);
  expect(readFileSync(file, 'utf8')).toBe(own);
  expect(readdirSync(folder)).toEqual(['locked']);
});

it('a lock stays with a process that lives, whatever follows its first line', async () => {
  writeFileSync(file, `${parent}+7 SIGKILL 1\n`);
  expect(await takeLock(file)).toBe(process.ppid);
  expect(readFileSync(file, 'utf8')).toBe(`${parent}+7 SIGKILL 1\n`);
});

it.each([DEAD, '', 'cut sho', '=12'])('a lock is inherited where the first line is %j', async (text) => {
  writeFileSync(file, text);
  const seen: string[] = [];
  const inherit = (): Promise<void> => Promise.resolve(void seen.push(readFileSync(file, 'utf8')));
  expect(await takeLock(file, inherit)).toBeUndefined();
  expect(seen).toEqual([text]);
  expect(readFileSync(file, 'utf8')).toBe(own);
  expect(readdirSync(folder)).toEqual(['locked']);
});

it('a lock is inherited by one of many, and is not free for others before the heir ends', async () => {
  writeFileSync(file, DEAD);
  const inheriting = Promise.withResolvers<void>();
  let heirs = 0;
  const locks = Array.from({ length: 5 }, () =>
    takeLock(file, () => {
      heirs += 1;
      return inheriting.promise;
    }),
  );
  const losers = await Promise.race([Promise.all(locks.slice(1)), inheriting.promise]);
  expect(losers).toEqual([process.pid, process.pid, process.pid, process.pid]);
  inheriting.resolve();
  expect(await locks[0]).toBeUndefined();
  expect(heirs).toBe(1);
});

it('a lock is inherited though an heir was killed on its way, and not while one lives', async () => {
  writeFileSync(file, DEAD);
  let heirFile = '';
  await takeLock(file, async () => {
    heirFile = readdirSync(folder).find((name) => name.startsWith('locked.after-')) ?? '';
  });
  for (const [heir, outcome] of [
    [parent, process.ppid],
    ['=1 SIGTERM 998\n', undefined],
  ] as const) {
    writeFileSync(file, DEAD);
    writeFileSync(join(folder, heirFile), heir);
    expect(await takeLock(file)).toBe(outcome);
  }
  expect(readdirSync(folder)).toEqual(['locked']);
});

it('a lock that cannot be read is an error, not a lock without end', async () => {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  await expect(takeLock(file)).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(findLockOwner(file)).toBeUndefined();
});

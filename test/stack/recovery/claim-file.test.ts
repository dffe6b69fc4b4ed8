/** Covers files that belong to one living process; when it dies, one other process inherits them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { claimOwnerOf, claimFile } from '../../../src/stack/recovery/claim-file.ts';
import { startTimeOf } from '../../../src/stack/recovery/process-identity.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-claim-'));
  file = join(folder, 'claimed');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DEAD = '=1 SIGTERM 999\n';
const own = `=${process.pid} SIGTERM ${startTimeOf(process.pid)}\n`;
const parent = `=${process.ppid} SIGTERM ${startTimeOf(process.ppid)}\n`;

it('a claim is ours when nobody has it, and nothing else is left beside it', async () => {
  expect(claimOwnerOf(file)).toBeUndefined();
  expect(await claimFile(file)).toBeUndefined();
  expect(claimOwnerOf(file)).toBe(process.pid);
  expect(readFileSync(file, 'utf8')).toBe(own);
  expect(readdirSync(folder)).toEqual(['claimed']);
});

it('a claim stays with a process that lives, whatever follows its first line', async () => {
  writeFileSync(file, `${parent}+7 SIGKILL 1\n`);
  expect(await claimFile(file)).toBe(process.ppid);
  expect(readFileSync(file, 'utf8')).toBe(`${parent}+7 SIGKILL 1\n`);
});

it.each([DEAD, '', 'cut sho', '=12'])('a claim is inherited where the first line is %j', async (text) => {
  writeFileSync(file, text);
  const seen: string[] = [];
  const inherit = (): Promise<void> => Promise.resolve(void seen.push(readFileSync(file, 'utf8')));
  expect(await claimFile(file, inherit)).toBeUndefined();
  expect(seen).toEqual([text]);
  expect(readFileSync(file, 'utf8')).toBe(own);
  expect(readdirSync(folder)).toEqual(['claimed']);
});

it('a claim is inherited by one of many, and is not free for others before the heir ends', async () => {
  writeFileSync(file, DEAD);
  const inheriting = Promise.withResolvers<void>();
  let heirs = 0;
  const claims = Array.from({ length: 5 }, () =>
    claimFile(file, () => {
      heirs += 1;
      return inheriting.promise;
    }),
  );
  const losers = await Promise.race([Promise.all(claims.slice(1)), inheriting.promise]);
  expect(losers).toEqual([process.pid, process.pid, process.pid, process.pid]);
  inheriting.resolve();
  expect(await claims[0]).toBeUndefined();
  expect(heirs).toBe(1);
});

it('a claim is inherited though an heir was killed on its way, and not while one lives', async () => {
  writeFileSync(file, DEAD);
  let heirFile = '';
  await claimFile(file, async () => {
    heirFile = readdirSync(folder).find((name) => name.startsWith('claimed.after-')) ?? '';
  });
  for (const [heir, outcome] of [
    [parent, process.ppid],
    ['=1 SIGTERM 998\n', undefined],
  ] as const) {
    writeFileSync(file, DEAD);
    writeFileSync(join(folder, heirFile), heir);
    expect(await claimFile(file)).toBe(outcome);
  }
  expect(readdirSync(folder)).toEqual(['claimed']);
});

it('a claim that cannot be read is an error, not a claim without end', async () => {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  await expect(claimFile(file)).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(claimOwnerOf(file)).toBeUndefined();
});

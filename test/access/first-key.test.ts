/** Tests the key that containers draw at their first start: only its owner can read it, and no log contains it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { findKey, parseApiKeys } from '../../src/access/api-keys.ts';

const PROGRAM = fileURLToPath(new URL('../../src/access/first-key.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-first-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the first key is drawn once, is written to a file of its own, and is neither printed nor stored among the keys', async () => {
  const [keysPath, keyPath] = [join(folder, 'keys.json'), join(folder, 'key')];
  const start = () => promisify(execFile)(process.execPath, [PROGRAM, keysPath, keyPath]);
  const { stdout, stderr } = await start();
  const key = readFileSync(keyPath, 'utf8').trim();
  const keys = readFileSync(keysPath, 'utf8');
  expect(statSync(keyPath).mode & 0o777).toBe(0o600);
  expect(stdout).toContain(keyPath);
  for (const text of [stdout, stderr, keys]) expect(text).not.toContain(key);
  const parsed = parseApiKeys(keys);
  expect(findKey(parsed.kind === 'keys' ? parsed.keys : [], key)).toMatchObject({
    name: 'first',
    opensAll: true,
  });
  expect((await start()).stdout).toBe('');
  expect(readFileSync(keyPath, 'utf8').trim()).toBe(key);
});

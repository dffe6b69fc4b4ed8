import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { ensureFolder } from '../../src/process/folders.ts';
import { StartError } from '../../src/base/errors/start-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-directories-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a start makes what is missing, and takes what is there', () => {
  const path = join(folder, 'a', 'b', 'c');
  for (const times of [1, 2]) {
    ensureFolder('ORION_DATA_DIR', path);
    expect([times, statSync(path).isDirectory()]).toEqual([times, true]);
  }
  symlinkSync(path, join(folder, 'link'));
  ensureFolder('ORION_DATA_DIR', join(folder, 'link'));
});

it('a start names the variable of a path that is a file, or leads through one', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')]) {
    expect(() => ensureFolder('ORION_WORKSPACE', path)).toThrow(StartError);
    expect(() => ensureFolder('ORION_WORKSPACE', path)).toThrow(/^ORION_WORKSPACE: expected a directory/);
  }
});

(existsSync('/proc/self') ? it : it.skip)('names the variable of a directory that cannot be written', () => {
  ensureFolder('ORION_DATA_DIR', '/proc/self');
  expect(() => ensureFolder('ORION_DATA_DIR', '/proc/self', 'write')).toThrow(
    /^ORION_DATA_DIR: expected a directory.*(EACCES|EROFS|ENOENT|EPERM)/,
  );
});

(existsSync('/proc/self') ? it : it.skip)('comes back from a file system that makes no directories', () => {
  expect(() => ensureFolder('ORION_DATA_DIR', '/proc/x/y')).toThrow(/^ORION_DATA_DIR: .*ENOENT/);
});

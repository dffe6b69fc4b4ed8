/** Covers the data directory of a machine with other accounts, also one that an earlier version left open. */
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ensurePrivateFolder } from '../../src/stack/private-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'orion-private-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const make = (path: string, mode = 0o644): string => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
};

it('a start closes what an earlier version left open, and nothing that is not Orion’s', () => {
  const data = join(root, 'data');
  const closed = [
    make(join(data, 'temporal.db')),
    make(join(data, 'postgres.password'), 0o640),
    make(join(data, 'logs', 'gateway.log')),
    make(join(data, 'logs-previous', 'worker-1.log')),
  ];
  const theirs = make(join(data, 'workspace', 'run.sh'), 0o755);
  const outside = make(join(root, 'outside'), 0o644);
  symlinkSync(outside, join(data, 'link'));
  linkSync(outside, join(data, 'second-name'));
  chmodSync(data, 0o755);
  ensurePrivateFolder(data);
  expect([data, join(data, 'logs'), join(data, 'logs-previous')].map(modeOf)).toEqual(['700', '700', '700']);
  expect(closed.map(modeOf)).toEqual(['600', '600', '600', '600']);
  expect([theirs, outside].map(modeOf)).toEqual(['755', '644']);
});

it('a start makes a closed directory, whatever the umask', () => {
  const umask = process.umask(0);
  try {
    ensurePrivateFolder(join(root, 'a', 'data'));
  } finally {
    process.umask(umask);
  }
  expect(modeOf(join(root, 'a', 'data'))).toBe('700');
});

it('a private directory may be a link', () => {
  const data = join(root, 'elsewhere');
  mkdirSync(data, { mode: 0o755 });
  symlinkSync(data, join(root, 'data'));
  ensurePrivateFolder(join(root, 'data'));
  expect(modeOf(data)).toBe('700');
});

(process.geteuid?.() === 0 ? it : it.skip)('takes none of another account', () => {
  const data = join(root, 'data');
  mkdirSync(data, { mode: 0o755 });
  chownSync(data, 12_345, 12_345);
  expect(() => ensurePrivateFolder(data)).toThrow(/^ORION_DATA_DIR: .*belongs to account 12345/);
  expect(modeOf(data)).toBe('755');
});

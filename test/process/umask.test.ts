/** Tests which permissions the files of a process have under the setting `ORION_UMASK`. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config.ts';
import { ensureFolders } from '../../src/process/folders.ts';

const root = mkdtempSync(join(tmpdir(), 'orion-umask-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const umaskBefore = process.umask();
afterEach(() => void process.umask(umaskBefore));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('the files and folders of a process', () => {
  it.each([
    [undefined, { folders: '700', file: '600' }],
    ['027', { folders: '750', file: '640' }],
    ['022', { folders: '755', file: '644' }],
  ])('under the umask %j have the modes %j', (umask, { folders, file }) => {
    const place = join(root, umask ?? 'default');
    const dataDir = join(place, 'data');
    ensureFolders(
      loadConfig({ ORION_DATA_DIR: dataDir, ...(umask !== undefined && { ORION_UMASK: umask }) }),
    );
    writeFileSync(join(dataDir, 'made-later'), '');
    expect([dataDir, join(dataDir, 'workspace')].map(modeOf)).toEqual([folders, folders]);
    expect(modeOf(join(dataDir, 'made-later'))).toBe(file);
  });
});

describe('a umask', () => {
  it.each(['77', '777', '0o22', '18', '0277'])('is refused as %j', (wrong) => {
    expect(() => loadConfig({ ORION_DATA_DIR: root, ORION_UMASK: wrong })).toThrow(
      `ORION_UMASK: expected three octal digits that begin with 0, such as 077 or 022, received "${wrong}"`,
    );
  });
});

import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createDataProbe, createWorkspaceProbe } from '../../../src/gateway/health/probes.ts';

describe('volumes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orion-volumes-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('that can be written to are ready, and nothing is left in them', async () => {
    await createDataProbe(folder)();
    await createWorkspaceProbe(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that are missing, or no directory, are not ready, and are not made either', async () => {
    const missing = join(folder, 'missing');
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [missing, file]) {
      await expect(createDataProbe(path)()).rejects.toThrow(/ENOENT|ENOTDIR/);
      await expect(createWorkspaceProbe(path)()).rejects.toThrow(/ENOENT|not a directory/);
    }
    expect(existsSync(missing)).toBe(false);
    rmSync(file);
  });

  // Root may write anywhere, so the test cannot close a folder to it.
  (process.getuid?.() === 0 ? it.skip : it)('that are closed are not ready', async () => {
    chmodSync(folder, 0o500);
    await expect(createDataProbe(folder)()).rejects.toThrow('EACCES');
    await expect(createWorkspaceProbe(folder)()).rejects.toThrow('EACCES');
    chmodSync(folder, 0o700);
  });
});

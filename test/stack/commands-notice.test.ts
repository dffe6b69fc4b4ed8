import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { findCommandsNotice } from '../../src/stack/commands-notice.ts';

it('the notice says at a start whether commands run, and in what', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'orion-notice-'));
  const notice = (offered: 'off' | 'ask' | 'allow', sandbox: 'require' | 'off') =>
    findCommandsNotice({
      dataDir,
      workspace: join(dataDir, 'ws'),
      commands: { offered, sandbox, handedOn: [] },
    });
  expect(await notice('off', 'off')).toBeUndefined();
  expect(await notice('ask', 'require')).toBe('asked about, in a sandbox');
  expect(await notice('allow', 'off')).toMatch(/^allowed, WITHOUT a sandbox/);
  await rm(dataDir, { recursive: true });
});

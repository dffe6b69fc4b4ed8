import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startChild, type ChildRegistry } from '../../../src/stack/processes/child.ts';
import { partOf } from '../../support/part-of.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-child-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

// Node throws the first of these failures, and passes the second one to the listeners of the child.
it.each([
  ['whose arguments are too long', process.execPath, ['x'.repeat(4 * 1024 ** 2)], 'spawn E2BIG'],
  ['that does not exist', '/nonexistent/program', [], 'spawn /nonexistent/program ENOENT'],
])('startChild rejects with StartError for a program %s', async (_what, command, args, reason) => {
  const spec = {
    role: 'gateway' as const,
    command,
    args,
    env: {},
    cwd: folder,
    logFile: join(folder, 'gateway.log'),
    stopSignal: 'SIGTERM' as const,
    hasIpc: false,
  };
  await expect(startChild(spec, partOf<ChildRegistry>({}))).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(new RegExp(`^gateway could not be started: .*${reason}$`)),
  });
});

import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandEnvironment } from './command-environment.ts';
import { SANDBOX_PATH } from './sandbox.ts';
import { shellCommand } from './shell.ts';
import { openBounds, processLimits, runBounded } from './command-bounds.ts';
import type { CommandHostOptions, CommandHost } from './command-host.ts';

/** Creates a host that runs commands as the account of the worker, for a machine that is a sandbox itself. */
export const createUnsandboxedHost = async (options: CommandHostOptions): Promise<CommandHost> => {
  const bounds = await openBounds(options);
  return {
    isSandboxed: false,
    boundsProcesses: bounds.isEnforced,
    async run({ command, cwd, timeoutMs }, watch) {
      const home = join(tmpdir(), `orion-command-${randomUUID()}`);
      await mkdir(home, { mode: 0o700 });
      const path = options.env['PATH'] ?? SANDBOX_PATH;
      const env = { ...commandEnvironment({ ...options, home, path }), TMPDIR: home };
      const shell = shellCommand(command, processLimits(timeoutMs, bounds.processes), { isGuarded: true });
      try {
        return await runBounded(bounds, { ...shell, cwd, env, timeoutMs }, watch);
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    },
  };
};

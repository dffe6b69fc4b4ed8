import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { realPathOf } from '../../config/workspace-folders.ts';
import { commandEnvironment } from './command-environment.ts';
import type { CommandWatch } from './command-launch.ts';
import { SANDBOX_PATH } from './sandbox.ts';
import { systemCallFilter } from './system-call-filter.ts';
import { shellCommand } from './shell.ts';
import { processLimits, openBounds, type ProcessBounds, runBounded } from './command-bounds.ts';
import { createSandboxedHost } from './sandboxed-host.ts';
import type { CommandHostOptions, CommandHost } from './command-host.ts';

const BUBBLEWRAP = [
  '/usr/bin/bwrap',
  '/usr/local/bin/bwrap',
  '/bin/bwrap',
  '/run/current-system/sw/bin/bwrap',
];

/** Creates a host that runs commands as the account of the worker, for a machine that is a sandbox itself. */
const createBareHost = (options: CommandHostOptions, bounds: ProcessBounds): CommandHost => ({
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
});

/** The host that runs commands on this machine, or why no tool for commands is offered. */
export type OpenCommandHostOutcome =
  { readonly ok: true; readonly host: CommandHost } | { readonly ok: false; readonly reason: string };

const PROBE_MS = 10_000;

/** Runs a command that does nothing in the sandbox. Returns why that does not work here, or undefined. */
const probe = async (host: CommandHost, dataDir: string): Promise<string | undefined> => {
  const folder = join(realPathOf(dataDir), 'covers', `trial-${randomUUID()}`);
  let output = '';
  try {
    await mkdir(folder);
    const watch: CommandWatch = {
      signal: AbortSignal.timeout(PROBE_MS),
      onOutput: (_stream, bytes) => (output += bytes.toString()),
      mayBegin: () => Promise.resolve(true),
    };
    const request = { command: 'exit 0', folder, cwd: folder, timeoutMs: PROBE_MS };
    const { exitCode } = await host.run(request, watch);
    return exitCode === 0 ? undefined : `a command that does nothing ended with ${exitCode} ${output}`.trim();
  } catch (error) {
    return errorMessage(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Opens the host of commands on this machine. `require` means in bubblewrap or nowhere, which is tried out. `off` means
 * as the account of this process. Rejects when the data directory cannot be written.
 */
export const openCommandHost = async (
  sandbox: 'require' | 'off',
  options: CommandHostOptions,
): Promise<OpenCommandHostOutcome> => {
  if (sandbox === 'off') return { ok: true, host: createBareHost(options, await openBounds(options)) };
  const program = BUBBLEWRAP.find((path) => existsSync(path));
  if (program === undefined) {
    return { ok: false, reason: 'bubblewrap is not installed (apt-get install bubblewrap)' };
  }
  const filter = systemCallFilter(process.arch);
  if (filter === undefined) {
    return { ok: false, reason: `there is no filter of system calls for ${process.arch}` };
  }
  const host = await createSandboxedHost(program, filter, options);
  const problem = await probe(host, options.dataDir);
  return problem === undefined
    ? { ok: true, host }
    : { ok: false, reason: `bubblewrap does not work here: ${problem}` };
};

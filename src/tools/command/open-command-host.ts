import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { resolveRealPath } from '../../base/folder-paths.ts';
import type { CommandWatch } from './command-launch.ts';
import { systemCallFilter } from './system-call-filter.ts';
import { createSandboxedHost } from './sandboxed-host.ts';
import type { CommandHostOptions, CommandHost } from './command-host.ts';
import { createUnsandboxedHost } from './unsandboxed-host.ts';

const BUBBLEWRAP = [
  '/usr/bin/bwrap',
  '/usr/local/bin/bwrap',
  '/bin/bwrap',
  '/run/current-system/sw/bin/bwrap',
];

/** The host that runs commands on this machine, or why no tool for commands is offered. */
export type OpenCommandHostOutcome =
  { readonly ok: true; readonly host: CommandHost } | { readonly ok: false; readonly reason: string };

/**
 * Opens the host of commands on this machine. `require` means in bubblewrap or nowhere, which is tried out. `off` means
 * as the account of this process. Rejects when the data directory cannot be written.
 */
export const openCommandHost = async (
  sandbox: 'require' | 'off',
  options: CommandHostOptions,
): Promise<OpenCommandHostOutcome> => {
  if (sandbox === 'off') return { ok: true, host: await createUnsandboxedHost(options) };
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

const PROBE_MS = 10_000;

/** Runs a command that does nothing in the sandbox. Returns why that does not work here, or undefined. */
const probe = async (host: CommandHost, dataDir: string): Promise<string | undefined> => {
  const folder = join(resolveRealPath(dataDir), 'covers', `trial-${randomUUID()}`);
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

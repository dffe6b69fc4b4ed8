import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { realPathOf } from '../../config/workspace-folders.ts';
import { findProtectedFiles } from './protected-paths.ts';
import { commandEnvironment } from './command-environment.ts';
import { type CommandGroups, openCommandGroups } from './command-groups.ts';
import type { CommandWatch, CommandLaunch, RunLimits } from './command-launch.ts';
import { type CommandEnd, runCommandProcess } from './command-process.ts';
import { watchReplaced } from './replaced-files.ts';
import { type CoverFiles, sandboxArguments, SANDBOX_HOME, SANDBOX_PATH } from './sandbox.ts';
import { systemCallFilter } from './system-call-filter.ts';
import { type ProcessLimits, shellCommand } from './shell.ts';

/** One command for a shell, and the folder that it runs in. */
export interface CommandRequest {
  readonly command: string;
  /** Absolute real path of the project's folder. */
  readonly folder: string;
  /** Absolute real path of the folder in which the command begins, which is in `folder`. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

/** Runs commands on this machine, within limits. In a sandbox nothing of a command stays running after its end. */
export interface CommandHost {
  /** True when commands run in a sandbox. Otherwise a command can do what the account of the worker can. */
  readonly isSandboxed: boolean;
  /**
   * True when the kernel bounds the number of a command's processes. Otherwise they are only counted from time to time,
   * and a fork bomb may be faster than that.
   */
  readonly boundsProcesses: boolean;
  /**
   * Runs a command. Rejects as `runCommandProcess` does. Before the command is started, it also rejects with
   * WorkspaceError where protected files cannot be closed, with the signal's reason, or with an error of the file
   * system.
   */
  run(request: CommandRequest, watch: CommandWatch): Promise<CommandEnd>;
}

export interface CommandHostOptions {
  readonly dataDir: string;
  /** The folder of all projects. */
  readonly workspace: string;
  /** Environment of the worker. */
  readonly env: NodeJS.ProcessEnv;
  /** Names of variables that commands get beside the usual ones. */
  readonly handedOn: readonly string[];
  /** Finds the ripgrep binary. */
  readonly listProgram: () => Promise<string>;
  /** Largest number of processes and threads of one command. Absent means 1,000. */
  readonly maxProcesses?: number;
}

const GIBIBYTE = 1024 ** 3;
/** Share of the machine's memory that a command may have. The streaming of answers needs the rest. */
const MEMORY_SHARE = 0.5;
const MAX_MEMORY_BYTES = 4 * GIBIBYTE;
const MAX_FILE_BYTES = 1 * GIBIBYTE;
/** Largest number of processes and threads of a command with all that it starts, unless the options have another. */
const MAX_PROCESSES = 1_000;
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;

const memoryBytes = (): number => Math.min(MAX_MEMORY_BYTES, Math.floor(totalmem() * MEMORY_SHARE));

const runLimits = (timeoutMs: number, processes: number): RunLimits => ({
  timeoutMs,
  outputBytes: MAX_OUTPUT_BYTES,
  processes,
  memoryBytes: memoryBytes(),
});

const processLimits = (timeoutMs: number, processes: number): ProcessLimits => ({
  // The limit is for one process, which may have threads on all processors.
  cpuSeconds: Math.ceil(timeoutMs / 1_000) * availableParallelism(),
  memoryBytes: memoryBytes(),
  fileBytes: MAX_FILE_BYTES,
  processes,
});

/**
 * Opens what bounds the processes of commands on this machine. The kernel bounds them for each account, except for
 * root, which may have any number. So processes of root are bounded only in a control group.
 */
const openBounds = async ({ maxProcesses = MAX_PROCESSES }: CommandHostOptions): Promise<ProcessBounds> => {
  const isRoot = process.getuid?.() === 0;
  const groups = isRoot ? await openCommandGroups() : undefined;
  return { groups, processes: maxProcesses, isEnforced: !isRoot || groups !== undefined };
};

interface ProcessBounds {
  readonly groups: CommandGroups | undefined;
  readonly processes: number;
  /** True when the kernel allows no more than `processes`. Otherwise they are only counted. */
  readonly isEnforced: boolean;
}

/** Shell script that joins the control group of its first argument and becomes the program that the others name. */
const JOIN = 'echo 0 >"$1" && shift && exec "$@"';

/** Runs a program in a control group of its own, where there can be one, and removes the group afterwards. */
const runBounded = async (
  { groups, processes }: ProcessBounds,
  launch: CommandLaunch & { readonly timeoutMs: number },
  watch: CommandWatch,
): Promise<CommandEnd> => {
  const { program, args, timeoutMs } = launch;
  const limits = runLimits(timeoutMs, processes);
  const group = await groups?.create(processes);
  if (group === undefined) return runCommandProcess(launch, limits, watch);
  try {
    const joining = { program: '/bin/sh', args: ['-c', JOIN, 'sh', group.joinFile, program, ...args] };
    return await runCommandProcess({ ...launch, ...joining }, limits, watch);
  } finally {
    await group.remove();
  }
};

const BUBBLEWRAP = [
  '/usr/bin/bwrap',
  '/usr/local/bin/bwrap',
  '/bin/bwrap',
  '/run/current-system/sw/bin/bwrap',
];

const makeCovers = async (dataDir: string): Promise<CoverFiles> => {
  const folder = join(dataDir, 'covers');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const covers = { closed: join(folder, 'closed'), empty: join(folder, 'empty') };
  await Promise.all([
    writeFile(covers.closed, '', { mode: 0o000, flag: 'wx' }).catch(ignoreExisting),
    writeFile(covers.empty, '', { mode: 0o444, flag: 'wx' }).catch(ignoreExisting),
  ]);
  return covers;
};

const ignoreExisting = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error;
};

/** Creates a host that runs commands in bubblewrap. Rejects when the data directory cannot be written. */
const createSandboxedHost = async (
  program: string,
  filter: Buffer,
  options: CommandHostOptions,
): Promise<CommandHost> => {
  const covers = await makeCovers(options.dataDir);
  const bounds = await openBounds(options);
  const hidden = [options.dataDir, options.workspace].map(realPathOf);
  const node = realPathOf(process.execPath);
  const env = commandEnvironment({ ...options, home: SANDBOX_HOME, path: SANDBOX_PATH });
  return {
    isSandboxed: true,
    boundsProcesses: bounds.isEnforced,
    async run({ command, folder, cwd, timeoutMs }, watch) {
      const closed = await findProtectedFiles(folder, await options.listProgram(), watch.signal);
      const bubblewrap = sandboxArguments({ folder, cwd, closed, covers, hidden, node });
      const shell = shellCommand(command, processLimits(timeoutMs, bounds.processes), { isGuarded: false });
      // These are the handles that src/tools/command/command-process.ts opens for bubblewrap.
      const handles = ['--args', '4', '--json-status-fd', '5', '--seccomp', '6'];
      const args = [...handles, '--', shell.program, ...shell.args];
      const exposed = new AbortController();
      const sandbox = { options: bubblewrap, filter, exposed: exposed.signal };
      const watched = watchReplaced(folder, closed, () => exposed.abort());
      try {
        return await runBounded(bounds, { program, args, cwd: '/', env, timeoutMs, sandbox }, watch);
      } finally {
        watched.stop();
      }
    },
  };
};

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

import { availableParallelism, totalmem } from 'node:os';
import { GIB, MIB } from '../../contracts/values/units.ts';
import { type CommandGroups, openCommandGroups } from './command-groups.ts';
import type { CommandWatch, CommandLaunch, RunLimits } from './command-launch.ts';
import { type CommandEnd, runCommandProcess } from './command-process.ts';
import type { ProcessLimits } from './shell.ts';
import type { CommandHostOptions } from './command-host.ts';

/** Share of the machine's memory that a command may have. The streaming of answers needs the rest. */
const MEMORY_SHARE = 0.5;
const MAX_MEMORY_BYTES = 4 * GIB;

const MAX_FILE_BYTES = GIB;
/** Largest number of processes and threads of a command with all that it starts, unless the options have another. */
const MAX_PROCESSES = 1_000;
const MAX_OUTPUT_BYTES = 128 * MIB;

/** Returns the limits that the kernel sets for each process of a command. `timeoutMs` is the time of the command. */
export const processLimits = (timeoutMs: number, processes: number): ProcessLimits => ({
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
export const openBounds = async ({
  maxProcesses = MAX_PROCESSES,
}: CommandHostOptions): Promise<ProcessBounds> => {
  const isRoot = process.getuid?.() === 0;
  const groups = isRoot ? await openCommandGroups() : undefined;
  return { groups, processes: maxProcesses, isEnforced: !isRoot || groups !== undefined };
};

/** What bounds the processes of each command on this machine, all together. */
export interface ProcessBounds {
  readonly groups: CommandGroups | undefined;
  readonly processes: number;
  /** True when the kernel allows no more than `processes`. Otherwise they are only counted. */
  readonly isEnforced: boolean;
}

/** Shell script that joins the control group of its first argument and becomes the program that the others name. */
const JOIN = 'echo 0 >"$1" && shift && exec "$@"';

/** Runs a program in a control group of its own, where there can be one, and removes the group afterwards. */
export const runBounded = async (
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

const memoryBytes = (): number => Math.min(MAX_MEMORY_BYTES, Math.floor(totalmem() * MEMORY_SHARE));

const runLimits = (timeoutMs: number, processes: number): RunLimits => ({
  timeoutMs,
  outputBytes: MAX_OUTPUT_BYTES,
  processes,
  memoryBytes: memoryBytes(),
});

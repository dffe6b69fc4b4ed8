import { existsSync } from 'node:fs';
import { KIB } from '../../contracts/values/units.ts';

/** The unit of `ulimit -f` in POSIX shells. */
const BLOCK = 512;

/** The limits that the kernel sets for each process of a command. */
export interface ProcessLimits {
  /** Largest processor time, in seconds. */
  readonly cpuSeconds: number;
  /** Largest size of the process's own data, in bytes. Memory that is only reserved does not count. */
  readonly memoryBytes: number;
  /** Largest file that may be written, in bytes. */
  readonly fileBytes: number;
  /** Largest number of processes and threads, for which the kernel counts those of the whole account. */
  readonly processes: number;
}

/** The paths of bash, for which models write. If there is none, `/bin/sh` runs the command. */
const SHELLS = ['/bin/bash', '/usr/bin/bash'];

/**
 * Commands that report on handle 3 that the shell is ready, and wait for `go`. The worker sends `go` once it has
 * checked that the call may still run. If the worker is gone, nothing begins.
 */
const GATE = 'echo ready >&3; read -r go <&3 && [ "$go" = go ] || exit 125';

/**
 * Commands that kill the process group once the other end of handle 3 is closed, which happens when the worker is gone.
 */
const GUARD = '( trap "" TERM HUP INT; read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 &';

/**
 * Commands that close all handles above 2, also those that the worker has inherited itself and Node passes on. Only
 * bash can close a handle above 9: dash takes `exec 12<&-` for a program called `12`, and ends. Without `/proc` the
 * pattern stays as it is and names no handle, so none is closed.
 */
const CLOSE_HANDLES =
  'for handle in /proc/self/fd/*; do handle=${handle##*/}; case $handle in [012]|*[!0-9]*) ;; ??*) [ -z "$BASH_VERSION" ] || eval "exec $handle<&-" 2>/dev/null;; *) eval "exec $handle<&-" 2>/dev/null;; esac; done';

/**
 * Returns the program and arguments of a shell that runs a command under limits once it reads `go`. With `isGuarded`,
 * the shell and its whole process group end with this process.
 */
export const shellCommand = (
  command: string,
  limits: ProcessLimits,
  { isGuarded }: { readonly isGuarded: boolean },
): { readonly program: string; readonly args: readonly string[] } => {
  const shell = SHELLS.find((path) => existsSync(path));
  const prelude = [
    GATE,
    ...(isGuarded ? [`${GUARD} :`] : []),
    CLOSE_HANDLES,
    limitLines(limits),
    'exec "$@"',
  ].join('; ');
  // With `--posix` bash counts `ulimit -f` in blocks of 512 bytes, as `sh` does.
  return shell === undefined
    ? { program: '/bin/sh', args: ['-c', prelude, 'sh', '/bin/sh', '-c', command] }
    : { program: shell, args: ['--posix', '-c', prelude, 'sh', shell, '-c', command] };
};

/**
 * Returns the commands that set the limits. Shells do not agree on the letter of `ulimit` for processes. A lower limit
 * that is already set cannot be raised, so it stays.
 */
const limitLines = ({ cpuSeconds, memoryBytes, fileBytes, processes }: ProcessLimits): string =>
  [
    'ulimit -c 0',
    `ulimit -t ${cpuSeconds}`,
    `ulimit -d ${Math.floor(memoryBytes / KIB)}`,
    `ulimit -f ${Math.floor(fileBytes / BLOCK)}`,
    `ulimit -u ${processes} || ulimit -p ${processes}`,
  ]
    .map((line) => `{ ${line}; } 2>/dev/null`)
    .join('; ');

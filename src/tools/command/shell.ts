import { existsSync } from 'node:fs';

const KIBIBYTE = 1024;
/** The unit of `ulimit -f` in POSIX shells. */
const BLOCK = 512;

/** The limits that the kernel sets for each process of a command. */
export interface ProcessLimits {
  /** Seconds of processor time. */
  readonly cpuSeconds: number;
  /** Memory of its own data. What is reserved and not used does not count. */
  readonly memoryBytes: number;
  readonly fileBytes: number;
  readonly processes: number;
}

/** Models write for bash. If there is none, whatever `sh` is runs. */
const SHELLS = ['/bin/bash', '/usr/bin/bash'];

/** Shells do not agree on the letter for processes; a limit that is lower already stays. */
const limitLines = ({ cpuSeconds, memoryBytes, fileBytes, processes }: ProcessLimits): string =>
  [
    'ulimit -c 0',
    `ulimit -t ${cpuSeconds}`,
    `ulimit -d ${Math.floor(memoryBytes / KIBIBYTE)}`,
    `ulimit -f ${Math.floor(fileBytes / BLOCK)}`,
    `ulimit -u ${processes} || ulimit -p ${processes}`,
  ]
    .map((line) => `{ ${line}; } 2>/dev/null`)
    .join('; ');

/**
 * Reports on handle 3 that it is ready, and begins when it is asked to. By then the worker has checked whether it still
 * may, and if the worker is gone nothing begins.
 */
const GATE = 'echo ready >&3; read -r go <&3 && [ "$go" = go ] || exit 125';

/** Ends the group once handle 3 does, which is when the worker is gone. */
const GUARD = '( trap "" TERM HUP INT; read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 &';

/**
 * Closes the handles that this process has inherited itself, and that Node passes on. `sh` of some systems only takes
 * handles below 10.
 */
const CLOSE_HANDLES =
  'for handle in /proc/self/fd/*; do handle=${handle##*/}; case $handle in [012]) ;; *) eval "exec $handle<&-" 2>/dev/null;; esac; done';

/**
 * Returns a shell that runs a command under limits once it reads `go`; with `isGuarded` it ends with this process.
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
  return shell === undefined
    ? { program: '/bin/sh', args: ['-c', prelude, 'sh', '/bin/sh', '-c', command] }
    : { program: shell, args: ['--posix', '-c', prelude, 'sh', shell, '-c', command] };
};

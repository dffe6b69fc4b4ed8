import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns the time at which a process began, in a unit of the system. Together with the pid it identifies the process,
 * so that a pid that was given to another process since is not signalled. A command line would not do, because setting
 * `process.title` overwrites it. Returns undefined when there is no such process.
 */
export const startTimeOf = (pid: number): string | undefined => {
  if (process.platform === 'linux') {
    try {
      return linuxStartTime(pid);
    } catch {
      return undefined;
    }
  }
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return (stdout ?? '').trim().replaceAll(/\s+/g, '_') || undefined;
};

/** Returns the command line of a process, as `ps` shows it. The result is empty when there is no such process. */
export const commandLineOf = (pid: number): string => {
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() ?? '';
};

/**
 * Sends a signal to a process or, with `group`, to all processes of its group. Returns false when that is not possible,
 * usually because there is no such process.
 */
export const signalProcess = (
  pid: number,
  signal: NodeJS.Signals,
  scope: 'process' | 'group' = 'process',
): boolean => {
  try {
    return process.kill(scope === 'group' ? -pid : pid, signal);
  } catch {
    return false;
  }
};

/**
 * Returns the start time of a process from /proc/<pid>/stat (proc(5)). The state and the start time follow the command
 * name, which may contain blanks and brackets.
 */
const linuxStartTime = (pid: number): string | undefined => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended. In a container without an init, it may stay until the container ends.
  return fields[0] === 'Z' ? undefined : fields[19];
};

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** proc(5): state and start time of /proc/<pid>/stat follow the command name, which may hold blanks and brackets. */
const linuxStartTime = (pid: number): string | undefined => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; in a container without an init nothing ever collects it.
  return fields[0] === 'Z' ? undefined : fields[19];
};

/**
 * Returns when the process began, in units of the system: together with the pid it names one process for ever, so that
 * a pid that was given to another process since is never signalled. A command line would not do: setting
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

/** Returns the words a process was started with. The result is empty when there is no such process. */
export const commandLineOf = (pid: number): string => {
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() ?? '';
};

/** Sends a signal to a process, or with `group` to all of its group; returns false when there is none. */
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

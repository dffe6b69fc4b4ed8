import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isTransientErrno } from '../../base/errors/errno.ts';

/**
 * Returns the time at which a process began, in a unit of the system. Together with the pid it identifies the process,
 * so that a pid that was given to another process since is not signalled. A command line would not do, because setting
 * `process.title` overwrites it. Returns undefined when there is no such process. Throws when that cannot be found out
 * at the moment, for example because this process has no handle left.
 */
export const readStartTime = (pid: number): string | undefined => {
  if (process.platform === 'linux') return readLinuxStartTime(pid);
  return readPsField(pid, 'lstart=').replaceAll(/\s+/g, '_') || undefined;
};

/**
 * Returns the command line of a process, as `ps` shows it. The result is empty when there is no such process. Throws
 * when that cannot be found out at the moment, as `readStartTime` does.
 */
export const readCommandLine = (pid: number): string => {
  // Small images of Linux have no `ps`.
  if (process.platform === 'linux') return readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim() ?? '';
  return readPsField(pid, 'command=');
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
const readLinuxStartTime = (pid: number): string | undefined => {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended. In a container without an init, it may stay until the container ends.
  return fields[0] === 'Z' ? undefined : fields[19];
};

/** Returns the text of `/proc/<pid>/<name>`, or undefined if there is none. Throws an error that may be temporary. */
const readProc = (pid: number, name: 'stat' | 'cmdline'): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (isTransientErrno(error)) throw error;
    return undefined;
  }
};

const readPsField = (pid: number, field: string): string => {
  const { stdout, error } = spawnSync('ps', ['-ww', '-o', field, '-p', String(pid)], { encoding: 'utf8' });
  if (error !== undefined) throw error;
  return stdout.trim();
};

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CliProcess } from './cli-process.ts';

type Terminals = Pick<CliProcess, 'stdin' | 'stdout' | 'stderr'>;

/** Reports whether a person types into this process and reads what it prints, so that it may ask that person. */
export const canAskPerson = ({ stdin, stdout, stderr }: Terminals): boolean =>
  stdin.isTTY && stdout.isTTY === true && stderr.isTTY === true && isInForeground();

/**
 * Keeps the terminal from showing what is typed while an answer comes, because the kernel would write it into the
 * answer. Typed text waits for the shell, which shows it at its prompt, and Ctrl-C and Ctrl-Z work as usual. Node
 * restores the terminal when the process exits or gets SIGINT or SIGTERM. If there is no `stty`, typed text is shown.
 * Does nothing if the answer goes to no terminal.
 *
 * Raw mode is not used, because it would take the keys from the shell, and Ctrl-Z from the user.
 */
export const hideTyping = ({ stdin, stdout, stderr }: Terminals): void => {
  if (!stdin.isTTY || !(stdout.isTTY || stderr.isTTY)) return;
  // In the background the terminal belongs to another process, and touching it would stop this one.
  if (!isInForeground()) return;
  spawnSync('stty', ['-echo'], { stdio: ['inherit', 'ignore', 'ignore'] });
};

/**
 * Reports whether this process is in the foreground of its terminal. On Linux, the group of the process and the
 * terminal's foreground group are fields of `/proc/self/stat` (proc(5)). Elsewhere `ps` marks the foreground with `+`.
 */
const isInForeground = (): boolean => {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return (stdout ?? '').includes('+');
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === foreground;
};

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CliProcess } from '../cli-process.ts';

/** proc(5): process group and foreground process group of the terminal, behind the command name. */
const isInForeground = (): boolean => {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return (stdout ?? '').includes('+');
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === foreground;
};

/**
 * Has the terminal not show what is typed while an answer comes: the kernel would write it into the answer. It waits
 * for the shell, which shows it at its prompt, and Ctrl-C and Ctrl-Z do what they did. Node gives the terminal back as
 * it found it, however the process ends. Where there is no `stty`, typing shows as it did.
 *
 * Not raw mode: it takes the keys from the shell and Ctrl-Z from the user.
 */
export const hideTyping = ({ stdin, stdout, stderr }: CliProcess): void => {
  if (!stdin.isTTY || !(stdout.isTTY || stderr.isTTY)) return;
  // In the background the terminal is somebody else's, and touching it would stop this process.
  if (isInForeground()) spawnSync('stty', ['-echo'], { stdio: ['inherit', 'ignore', 'ignore'] });
};

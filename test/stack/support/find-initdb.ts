import { readdirSync, readFileSync } from 'node:fs';

/** Returns the id of the process `initdb` that a process has started, and undefined if there is none. Needs `/proc`. */
export const findInitdb = (parent: number): number | undefined =>
  readdirSync('/proc')
    .map(Number)
    .find((pid) => {
      if (!Number.isInteger(pid)) return false;
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return (
          stat.includes('(initdb)') && stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(parent)
        );
      } catch {
        return false;
      }
    });

import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTimeOf } from './process-identity.ts';
import { added, remaining, removed, type StopSignal } from './reap-lines.ts';
import { liveOwner, readReapList } from './reap-owner.ts';
import { reap } from './reap.ts';
import { StartError } from '../../base/start-error.ts';

const REAPER = fileURLToPath(new URL('./reaper.ts', import.meta.url));
const LEFTOVER_GRACE_MS = 2000;

/** Children that must not survive this process. */
export interface ReapList {
  add(pid: number, signal: StopSignal): void;
  remove(pid: number): void;
  /** All children have ended: the reaper may go. */
  close(): void;
}

/**
 * Stops what an earlier run left behind, if even its reaper was killed. Throws StartError when that run is
 * still alive.
 */
const cleanUp = async (file: string): Promise<void> => {
  const owner = liveOwner(file);
  if (owner !== undefined) {
    throw new StartError(
      `Orion already runs from this data directory (process ${owner}, named in ${file}): stop it first.`,
    );
  }
  await reap(remaining(readReapList(file)), LEFTOVER_GRACE_MS);
};

/**
 * Opens the list kept in `file` and starts the reaper. Two keepers of the same lines: the reaper acts at once
 * when this process dies, and if it is killed too, the next start acts by the file.
 */
export const openReapList = async (file: string): Promise<ReapList> => {
  await cleanUp(file);
  mkdirSync(dirname(file), { recursive: true });
  const own = { pid: process.pid, signal: 'SIGTERM', startTime: startTimeOf(process.pid) ?? '' } as const;
  writeFileSync(file, added(own).replace('+', '='));
  const reaper = spawn(process.execPath, [REAPER], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  reaper.unref();
  // A killed reaper breaks the pipe; the file still holds the lines.
  reaper.stdin.on('error', () => undefined);
  const write = (line: string): void => {
    appendFileSync(file, line);
    if (reaper.stdin.writable) reaper.stdin.write(line);
  };
  return {
    add(pid, signal) {
      const startTime = startTimeOf(pid);
      if (startTime !== undefined) write(added({ pid, signal, startTime }));
    },
    remove: (pid) => write(removed(pid)),
    close() {
      reaper.stdin.end();
      rmSync(file, { force: true });
    },
  };
};

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../base/errors/start-error.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { takeLock } from './lock-file.ts';
import { readStartTime } from './process-identity.ts';
import { addedLine, reapProcesses, remainingEntries, removedLine, type StopSignal } from './reap.ts';

const REAPER = fileURLToPath(new URL('./reaper.ts', import.meta.url));
/** Milliseconds that processes of an earlier run have to end before they are killed. */
const LEFTOVER_GRACE_MS = 2000;

/** Children that must not survive this process. */
export interface ReapList {
  /** Adds a child. `signal` is the first signal by which it is stopped if this process dies. */
  add(pid: number, signal: StopSignal): void;
  /** Removes a child that has ended. */
  remove(pid: number): void;
  /** Ends the list. Call it when all children have ended. The reaper then ends, too. */
  close(): void;
}

/**
 * Locks the list in `file` and starts the reaper. Before that, it stops processes of an earlier run that are still
 * listed, which happens only if the reaper of that run was killed, too. Every line is written twice, to the reaper and
 * to the file: the reaper acts at once when this process dies, and if it is killed too, the next start acts by the
 * file. Rejects with StartError when another process has the list, or when the reaper cannot be started.
 */
export const openReapList = async (file: string): Promise<ReapList> => {
  const stopLeftovers = () => reapProcesses(remainingEntries(readFileSync(file, 'utf8')), LEFTOVER_GRACE_MS);
  const owner = await takeLock(file, stopLeftovers);
  if (owner !== undefined) {
    throw new StartError(
      `Orion already runs from this data directory (process ${owner}, named in ${file}): stop it first.`,
    );
  }
  const reaper = await startReaper().catch((error: unknown) => {
    rmSync(file, { force: true });
    throw error;
  });
  reaper.unref();
  // Writing to a killed reaper fails, but the file still has the lines.
  reaper.stdin.on('error', () => undefined);
  const write = (line: string): void => {
    appendFileSync(file, line);
    if (reaper.stdin.writable) reaper.stdin.write(line);
  };
  return {
    add(pid, signal) {
      const startTime = readStartTime(pid);
      if (startTime !== undefined) write(addedLine({ pid, signal, startTime }));
    },
    remove(pid) {
      try {
        write(removedLine(pid));
      } catch {
        // The file cannot be written, usually because the disk is full, so it still lists the child. This does no harm:
        // readers of the list compare start times, and so stop no other process that has the same id by then.
        if (reaper.stdin.writable) reaper.stdin.write(removedLine(pid));
      }
    },
    close() {
      reaper.stdin.end();
      rmSync(file, { force: true });
    },
  };
};

const startReaper = async (): Promise<ChildProcessByStdio<Writable, null, null>> => {
  try {
    const reaper = spawn(process.execPath, [REAPER], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    await once(reaper, 'spawn');
    return reaper;
  } catch (error) {
    throw new StartError(`The reaper could not be started: ${errorMessage(error)}`, { cause: error });
  }
};

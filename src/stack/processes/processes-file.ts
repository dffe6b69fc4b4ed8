import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The role of a process in a stack, by which it is found in `processes.json`. */
export type ProcessRole = 'supervisor' | 'gateway' | 'worker' | 'temporal' | 'postgres' | 'demo-model';

/** One entry of `<data dir>/processes.json` (docs/operations.md). */
export interface ProcessEntry {
  readonly role: ProcessRole;
  readonly pid: number;
  readonly port?: number;
}

/**
 * Keeps `<data dir>/processes.json`, the list of the supervisor and the processes that it keeps running, for people and
 * scripts.
 */
export const createProcessesFile = (dataDir: string) => {
  const path = join(dataDir, 'processes.json');
  const temporary = `${path}.${process.pid}.tmp`;
  const entries = new Map<number, ProcessEntry>();
  const write = (): void => {
    // Renamed into place, so that a reader never sees half a list.
    writeFileSync(temporary, `${JSON.stringify([...entries.values()], undefined, 2)}\n`);
    renameSync(temporary, path);
  };
  return {
    add(entry: ProcessEntry): void {
      entries.set(entry.pid, entry);
      write();
    },
    /**
     * Removes a process from the list. If the file cannot be written, for example on a full disk, it stays as it is.
     * That is no error, since a process must be able to end.
     */
    remove(pid: number): void {
      if (!entries.delete(pid)) return;
      try {
        write();
      } catch {
        rmSync(temporary, { force: true });
      }
    },
    /** Removes the file, because the stack has ended. Without one there is nothing to do. */
    close(): void {
      rmSync(path, { force: true });
    },
  };
};
/** The list of a stack's processes in `processes.json`. */
export type ProcessesFile = ReturnType<typeof createProcessesFile>;

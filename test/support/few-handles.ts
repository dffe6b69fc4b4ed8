import { execFile } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Largest number of handles of a script: enough for Node itself, and few enough to take all of them at once. */
const MAX_HANDLES = 64;

/**
 * Runs a script in a process of its own that may open only few handles. Resolves to what the script prints. Rejects
 * when it ends with another code than 0, as it does after an error that nobody has caught.
 */
export const runWithFewHandles = async (script: URL, ...args: readonly string[]): Promise<string> => {
  const limited = ['-c', `ulimit -n ${MAX_HANDLES} && exec "$0" "$@"`, process.execPath];
  const { stdout } = await promisify(execFile)('/bin/sh', [...limited, fileURLToPath(script), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  });
  return stdout;
};

/**
 * Runs `act` while this process has only `left` handles left. Prints what it resolves to as JSON, or the name, message
 * and code of the error with which it rejects.
 */
export const printWithHandlesLeft = async (left: number, act: () => Promise<unknown>): Promise<void> => {
  const taken = takeHandles();
  for (const handle of taken.splice(0, left)) closeSync(handle);
  const result = await act().catch(failureOf);
  for (const handle of taken) closeSync(handle);
  process.stdout.write(JSON.stringify(result ?? null));
};

const failureOf = ({ name, message, code }: NodeJS.ErrnoException) => ({ name, message, code });

/** Opens files until this process has no handle left. */
const takeHandles = (): number[] => {
  const taken: number[] = [];
  for (;;) {
    try {
      taken.push(openSync('/dev/null', 'r'));
    } catch {
      return taken;
    }
  }
};

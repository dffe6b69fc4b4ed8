import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Builds the workflow bundle into the data directory, anew at every start, so that it is never stale. In a
 * process of its own: the bundler would leave the supervisor two hundred megabytes larger.
 */
export const writeWorkflowBundle = async (
  root: string,
  dataDir: string,
  signal: AbortSignal,
): Promise<string> => {
  const path = join(dataDir, 'workflow-bundle.js');
  await run(process.execPath, [join(root, 'worker', 'write-bundle.ts'), path], { cwd: root, signal });
  return path;
};

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DAY_MS } from '../contracts/values/units.ts';

const run = promisify(execFile);

/** Folders that are hashed. They contain more than a bundle can depend on, so that no bundle is ever stale. */
const SOURCES = ['src', 'workflows', 'worker'];
const LOCK_FILE = 'package-lock.json';

/**
 * Builds the workflow bundle of the present sources, unless an earlier start has left it there, which halves the work
 * of a start. Returns its path. A separate process builds it, because the bundler would leave the supervisor two
 * hundred megabytes larger. Rejects if the build fails.
 */
export const writeWorkflowBundle = async (
  root: string,
  dataDir: string,
  signal: AbortSignal,
): Promise<string> => {
  const folder = join(dataDir, 'workflow-bundle');
  const path = join(folder, `${hashSources(root)}.js`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  removeOldBundles(folder);
  // Renamed into place, because two starts may build the same bundle at once.
  const unfinished = `${path}.${process.pid}`;
  await run(process.execPath, [join(root, 'worker', 'write-bundle.ts'), unfinished], { cwd: root, signal });
  renameSync(unfinished, path);
  return path;
};

/** Returns a hash of the present sources. */
const hashSources = (root: string): string => {
  const hash = createHash('sha256').update(readFileSync(join(root, LOCK_FILE)));
  for (const folder of SOURCES) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted();
    for (const name of names.filter((file) => file.endsWith('.ts'))) {
      hash.update(`\0${folder}/${name}\0`).update(readFileSync(join(root, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
};

/** Removes bundles that are older than a day. A test run or another start may still read a younger one. */
const removeOldBundles = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).mtimeMs < Date.now() - DAY_MS) rmSync(path, { force: true });
  }
};

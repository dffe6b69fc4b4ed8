import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../base/errors/config-error.ts';
import { errnoOf } from '../base/errors/errno.ts';
import { errorMessage } from '../contracts/values/error-message.ts';
import { parseJson } from '../contracts/values/parse-json.ts';
import { parseApiKeys, type ApiKeyEntry } from './api-keys.ts';

/**
 * Time in milliseconds after which a lock file counts as abandoned. Adding a key takes a few milliseconds, so an older
 * lock file was most likely left by a process that was killed.
 */
const ABANDONED_MS = 10_000;

/**
 * Adds a key to the file that ORION_API_KEYS_FILE names, which gateways read again about a second later. The file is
 * replaced as a whole. It keeps its permissions, except for those that the umask of this process withholds. Throws
 * ConfigError when it cannot be read or written, when the new content could not be used, and while another process adds
 * a key.
 */
export const addKey = (path: string, entry: ApiKeyEntry): void => {
  const nextPath = `${path}.next`;
  let holdsLock = false;
  try {
    const { mode } = statSync(path);
    removeAbandoned(nextPath);
    // The next file is also the lock, since only one process can create it.
    writeFileSync(nextPath, '', { flag: 'wx', mode });
    holdsLock = true;
    writeFileSync(nextPath, withEntry(path, entry), { flag: 'r+' });
    renameSync(nextPath, path);
  } catch (error) {
    if (holdsLock) rmSync(nextPath, { force: true });
    throw error instanceof ConfigError ? error : keyFileError(path, errorMessage(error));
  }
};

/**
 * Removes an abandoned lock file, unless another process is faster. If the removed file turns out to be the fresh lock
 * of that process, it is put back.
 */
const removeAbandoned = (nextPath: string): void => {
  if (!isAbandoned(nextPath)) return;
  const takenPath = `${nextPath}.${randomUUID()}`;
  try {
    renameSync(nextPath, takenPath);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  if (isAbandoned(takenPath)) rmSync(takenPath);
  else renameSync(takenPath, nextPath);
};

const isAbandoned = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS;
};

/**
 * Returns the text of a file of keys with one more entry. Throws ConfigError when this text could not be used, or the
 * error of the file system when the file cannot be read.
 */
const withEntry = (path: string, entry: ApiKeyEntry): string => {
  const entries = parseJson(readFileSync(path, 'utf8'));
  const extended: unknown = Array.isArray(entries) ? entries.concat(entry) : entries;
  const text = `${JSON.stringify(extended, null, 2)}\n`;
  const parsed = parseApiKeys(text);
  if (parsed.kind === 'keys') return text;
  throw keyFileError(path, parsed.problems.join('; '));
};

const keyFileError = (path: string, problem: string): ConfigError => new ConfigError([`${path}: ${problem}`]);

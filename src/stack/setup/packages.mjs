import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NPM_FETCH_ARGS, npmCommand, runStep, SetupError } from './run-step.mjs';

/**
 * @typedef {{
 *   version?: string, resolved?: string, integrity?: string, optional?: boolean, devOptional?: boolean
 * }} Entry
 * @typedef {{ packages?: Record<string, Entry> }} Lock
 */

/**
 * @param {string} path
 * @returns {Lock | undefined}
 */
const readLock = (path) => {
  try {
    return /** @type {Lock} */ (JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
};

/**
 * Reports whether the last install of npm, as npm has recorded it, is what the lock file asks for. An optional package
 * may be missing, since most are binaries of other platforms.
 * @param {Lock} lock
 * @param {Lock} installed
 * @returns {boolean}
 */
export const isInstalled = (lock, installed) =>
  Object.entries(lock.packages ?? {}).every(([path, wanted]) => {
    if (path === '') return true;
    const entry = installed.packages?.[path];
    if (!entry) return Boolean(wanted.optional);
    return entry.version === wanted.version && entry.integrity === wanted.integrity;
  });

/**
 * Installs the locked packages unless they are installed already, those of development even if NODE_ENV is
 * `production`, because the chat page is built with them. It runs no scripts of packages, because Orion works without
 * them. Throws SetupError when npm fails.
 * @param {string} root
 */
export const ensurePackages = (root) => {
  const lock = readLock(join(root, 'package-lock.json'));
  if (!lock) {
    throw new SetupError('package-lock.json is missing or not JSON: check out the repository again.');
  }
  const installed = readLock(join(root, 'node_modules', '.package-lock.json'));
  if (installed && isInstalled(lock, installed)) return;
  const [command, args] = npmCommand(['ci', '--include=dev', '--ignore-scripts', ...NPM_FETCH_ARGS]);
  const { ok, output } = runStep('installing packages (npm ci)', command, args, { cwd: root });
  if (!ok) throw new SetupError(`npm ci failed. Check the connection to the package registry.\n${output}`);
};

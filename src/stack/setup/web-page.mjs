import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep, SetupError } from './run-step.mjs';

/**
 * Returns the folder of the built page and of the hash of its sources. A gateway serves the page that is there at its
 * start.
 * @param {string} root
 */
export const pageFolder = (root) => join(root, '.orion', 'page');

/** Name of the file, in the folder of the page, with the hash of the sources that the page was built from. */
const DIGEST_FILE = 'sources';

/**
 * @param {string} folder
 * @returns {string[]}
 */
const listSources = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() ? listSources(join(folder, entry.name)) : [join(folder, entry.name)],
    )
    .sort();

/**
 * Returns a hash of everything that a build reads: the page's sources, the rooms that they import, and the packages.
 * The page stage of the Dockerfile copies the same rooms.
 * @param {string} root
 */
const hashSources = (root) => {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of ['web', 'contracts', 'write-session'].flatMap((room) =>
    listSources(join(root, 'src', room)),
  )) {
    hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
};

const readBuiltDigest = (/** @type {string} */ folder) => {
  try {
    return readFileSync(join(folder, DIGEST_FILE), 'utf8');
  } catch {
    return undefined;
  }
};

/**
 * Builds the chat page unless it was built from the present sources. Throws SetupError when that fails.
 * @param {string} root
 * @param {string} node path of a Node that is new enough for the bundler
 */
export const ensureWebPage = (root, node) => {
  const folder = pageFolder(root);
  const digest = hashSources(root);
  if (readBuiltDigest(folder) === digest) return;
  // Built under another name first, so that a build that fails leaves the earlier page.
  const unfinished = `${folder}.${process.pid}`;
  const args = [join(root, 'src', 'web', 'build.mjs'), unfinished];
  // Vite chooses the mode of React by NODE_ENV. The value of a test runner would make the page half as large again, and
  // slower.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { ok, output } = runStep('building the chat page', node, args, { cwd: root, env });
  if (!ok) throw new SetupError(`The chat page could not be built.\n${output}`);
  writeFileSync(join(unfinished, DIGEST_FILE), digest);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
};

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasSha256 } from './checksums.mjs';

const HEADER_TIMEOUT_MS = 5000;

/** Node's names of processor architectures → those of the download. */
const ARCHITECTURES = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
]);

/**
 * @param {string} version
 * @returns {Promise<Buffer>}
 */
const fetchArchive = async (version) => {
  const architecture = ARCHITECTURES.get(process.arch) ?? process.arch;
  const url = `https://temporal.download/cli/archive/v${version}?platform=${process.platform}&arch=${architecture}`;
  const gaveUp = new AbortController();
  // Only the wait for an answer is bounded: a slow line may take long for the archive itself.
  const timer = setTimeout(
    () => gaveUp.abort(new Error(`no answer in ${HEADER_TIMEOUT_MS / 1000} s`)),
    HEADER_TIMEOUT_MS,
  );
  try {
    const response = await fetch(url, { signal: gaveUp.signal });
    clearTimeout(timer);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Beside the place first: what stands there is looked at before anything could run it.
 * @param {Buffer} archive
 * @param {string} folder
 * @param {string} sha256
 * @returns {string | undefined}
 */
export const unpack = (archive, folder, sha256) => {
  const unknown = join(folder, 'unknown');
  mkdirSync(unknown, { recursive: true });
  try {
    const { status, stderr } = spawnSync('tar', ['-xzf', '-', '-C', unknown, 'temporal'], { input: archive });
    if (status !== 0) return `tar: ${String(stderr).trim()}`;
    const program = join(unknown, 'temporal');
    if (!hasSha256(program, sha256)) return 'the program in the archive is not the one that is known here';
    renameSync(program, join(folder, 'temporal'));
    return undefined;
  } finally {
    rmSync(unknown, { recursive: true, force: true });
  }
};

/**
 * Unpacks the official Temporal CLI into `folder`, if it is the program that is known by `sha256`. Returns why that
 * failed, or undefined.
 * @param {string} version
 * @param {string} folder
 * @param {string} sha256
 * @returns {Promise<string | undefined>}
 */
export const download = async (version, folder, sha256) => {
  process.stderr.write(`orion: downloading the Temporal CLI ${version} …\n`);
  try {
    return unpack(await fetchArchive(version), folder, sha256);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

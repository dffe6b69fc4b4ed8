import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasSha256 } from './checksums.mjs';
import { isNotThere } from './run-step.mjs';

const SITE = 'https://temporal.download';
/** Milliseconds until the response must begin. */
const HEADER_TIMEOUT_MS = 5000;

/** Names of processor architectures in downloads, by Node's names. */
const ARCHITECTURES = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
]);

/**
 * Describes an error in words. An error of `fetch` itself says only "fetch failed", so its cause is added.
 * @param {unknown} error
 */
const describeFailure = (error) => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const why = cause instanceof Error ? cause.message || code : '';
  return why === '' ? error.message : `${error.message}: ${why}`;
};

/**
 * Downloads the archive of the CLI for this platform. Rejects with an error that says what to check.
 * @param {string} version
 * @returns {Promise<Buffer>}
 */
const fetchArchive = async (version) => {
  const architecture = ARCHITECTURES.get(process.arch) ?? process.arch;
  const url = `${SITE}/cli/archive/v${version}?platform=${process.platform}&arch=${architecture}`;
  const timeout = new AbortController();
  // Only the wait for the response is bounded, because a slow line may take long for the archive itself.
  const timer = setTimeout(
    () => timeout.abort(new Error(`no answer in ${HEADER_TIMEOUT_MS / 1000} s`)),
    HEADER_TIMEOUT_MS,
  );
  try {
    const response = await fetch(url, { signal: timeout.signal });
    clearTimeout(timer);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    const what = `expected the archive from ${SITE}, received "${describeFailure(error)}"`;
    throw new Error(`${what}: check the connection`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Unpacks the program of an archive into `folder`. It is first unpacked into a folder of its own and checked by
 * `sha256`, so that nothing can run an unknown program. Returns why that failed, or undefined.
 * @param {Buffer} archive
 * @param {string} folder
 * @param {string} sha256
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
export const unpack = (archive, folder, sha256, env) => {
  const uncheckedFolder = join(folder, 'unknown');
  mkdirSync(uncheckedFolder, { recursive: true });
  try {
    const args = ['-xzf', '-', '-C', uncheckedFolder, 'temporal'];
    const { status, stderr, error } = spawnSync('tar', args, { input: archive, env, encoding: 'utf8' });
    if (isNotThere(error)) return 'expected tar to unpack the archive, received none on PATH: install it';
    if (status !== 0) {
      return `expected an archive with the program, received "${reasonOf(error, stderr)}" from tar`;
    }
    const program = join(uncheckedFolder, 'temporal');
    if (!hasSha256(program, sha256)) return 'the program in the archive is not the one that is known here';
    renameSync(program, join(folder, 'temporal'));
    return undefined;
  } finally {
    rmSync(uncheckedFolder, { recursive: true, force: true });
  }
};

/**
 * Returns the reason of a failure in one line: the first line that tar has written, or the message of the error.
 * @param {Error | undefined} error
 * @param {string | null} stderr
 */
const reasonOf = (error, stderr) => stderr?.trim().split('\n')[0] || (error?.message ?? 'nothing');

/**
 * Unpacks the official Temporal CLI into `folder`, if it is the program that is known by `sha256`. Returns why that
 * failed, or undefined.
 * @param {string} version
 * @param {string} folder
 * @param {string} sha256
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
export const download = async (version, folder, sha256, env) => {
  process.stderr.write(`orion: downloading the Temporal CLI ${version} …\n`);
  try {
    return unpack(await fetchArchive(version), folder, sha256, env);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

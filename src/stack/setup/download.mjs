import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

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
 * Unpacks the official Temporal CLI into `folder`. Returns why that failed, or undefined.
 * @param {string} version
 * @param {string} folder
 * @returns {Promise<string | undefined>}
 */
export const download = async (version, folder) => {
  process.stderr.write(`orion: downloading the Temporal CLI ${version} …\n`);
  try {
    const archive = await fetchArchive(version);
    mkdirSync(folder, { recursive: true });
    const { status, stderr } = spawnSync('tar', ['-xzf', '-', '-C', folder, 'temporal'], { input: archive });
    return status === 0 ? undefined : `tar: ${String(stderr).trim()}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

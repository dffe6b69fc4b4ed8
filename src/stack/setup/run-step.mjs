import { spawnSync } from 'node:child_process';

/** The set-up cannot go on; the message says what was tried and what a person can do. */
export class SetupError extends Error {}

/**
 * Says what is being done, then does it. The step's own output is shown only when it fails. Nothing goes to
 * stdout, which belongs to the command that follows (`npm test -- --json`).
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string }} options
 * @returns {{ ok: boolean, output: string }}
 */
export const runStep = (title, command, args, { cwd }) => {
  process.stderr.write(`orion: ${title} …\n`);
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const output = result.error ? result.error.message : `${result.stdout}${result.stderr}`.trim();
  return { ok: result.status === 0, output };
};

/**
 * npm as it was started: the one on PATH may be another version.
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
export const npmCommand = (args) => {
  const script = process.env['npm_execpath'];
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
};

/** Without these an offline machine waits minutes for a registry it cannot reach. */
export const NPM_FETCH_ARGS = [
  '--prefer-offline',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--no-audit',
  '--no-fund',
];

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCurrentStack } from '../../background/running-stacks.ts';
import { loadCliConfig } from '../../config/settings/cli-settings.ts';
import type { Environment } from '../../config/settings/load-settings.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { OutputStream } from '../render/output.ts';

/** The folder where `src/stack/setup` leaves a link to the CLI that it found or installed. */
const SETUP_TOOLS = fileURLToPath(new URL('../../../.orion/tools/bin/', import.meta.url));

/**
 * Runs the Temporal CLI with `args`, connected as Orion is. Options in `args` take precedence over that connection.
 * `setupTools` is the folder of the programs that set-up has linked. Throws ConfigError when the settings are wrong.
 */
export const runTemporal = async (
  stderr: OutputStream,
  args: readonly string[],
  env: Environment,
  setupTools = SETUP_TOOLS,
): Promise<ExitCode> => {
  const program = findProgram(env, setupTools);
  if (program === undefined) {
    stderr.write(
      `No Temporal CLI: expected TEMPORAL_CLI to name one, \`temporal\` on PATH, or the one of \`npm start\` in ${setupTools}\n`,
    );
    return EXIT.failed;
  }
  const child = spawn(program, args, { stdio: 'inherit', env: await loadCliEnvironment(env) });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      stderr.write(`${program} cannot be run: ${error.message}\n`);
      resolve(EXIT.failed);
    });
    child.once('close', (code, signal) => {
      if (signal === 'SIGINT') resolve(EXIT.interrupted);
      else resolve(code === 0 ? EXIT.done : EXIT.failed);
    });
  });
};

/**
 * Returns the environment of the Temporal CLI, with the address and namespace that the gateway here uses. They are
 * those of the folder's stack, or those of the settings if no stack runs or settings name another gateway.
 */
const loadCliEnvironment = async (env: Environment): Promise<NodeJS.ProcessEnv> => {
  const { isAddressed, stateDir } = loadCliConfig(env);
  const stack = isAddressed ? undefined : findCurrentStack(stateDir);
  if (stack !== undefined) {
    // The person's TEMPORAL_* variables are for a shared server, and a stack runs its own (`stackEnvironment`).
    const otherVariables = Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_'));
    const stackVariables = { TEMPORAL_ADDRESS: stack.temporalAddress, TEMPORAL_NAMESPACE: 'default' };
    return { ...Object.fromEntries(otherVariables), ...stackVariables };
  }
  // Imported only here, as in `config-command.ts`, because the module loads the client of Temporal.
  const { loadConfig } = await import('../../config/load-config.ts');
  const { temporal, stack: configured } = loadConfig(env);
  return {
    ...env,
    TEMPORAL_ADDRESS: temporal.address ?? `127.0.0.1:${configured.temporalPort}`,
    TEMPORAL_NAMESPACE: temporal.namespace,
  };
};

/**
 * Returns `TEMPORAL_CLI`, otherwise the newest program to which set-up left a link, otherwise the first one on PATH.
 */
const findProgram = (
  { TEMPORAL_CLI: named, PATH = '' }: Environment,
  setupTools: string,
): string | undefined => {
  if (named?.trim()) return named;
  const installed = existsSync(setupTools)
    ? readdirSync(setupTools).filter((name) => name.startsWith('temporal-'))
    : [];
  const onPath = PATH.split(delimiter).filter(Boolean);
  return [
    ...installed
      .toSorted(byVersion)
      .toReversed()
      .map((name) => join(setupTools, name)),
    ...onPath.map((folder) => join(folder, 'temporal')),
  ].find((path) => existsSync(path));
};

const { compare: byVersion } = new Intl.Collator('en', { numeric: true });

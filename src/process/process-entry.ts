import { CONFIG_EXIT_CODE, ConfigError } from '../base/errors/config-error.ts';
import { environmentOfProcess } from '../config/environment.ts';
import type { Environment } from '../config/settings/load-settings.ts';
import { safeForTerminal } from '../base/text/safe-for-terminal.ts';
import { StartError } from '../base/errors/start-error.ts';

/** Returns the text of an error, with its stack where it is a defect. */
const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? String(error)) : String(error);

const report = (error: unknown): void => {
  if (error instanceof ConfigError) {
    process.stderr.write(`${safeForTerminal(error.message)}\n`);
    process.exit(CONFIG_EXIT_CODE);
  }
  const description = error instanceof StartError ? error.message : describe(error);
  process.stderr.write(`${safeForTerminal(description)}\n`);
  process.exit(1);
};

/** Files that a process makes before its settings are read are closed to other accounts of the machine. */
const PRIVATE_UMASK = 0o077;

/**
 * Runs a process, as the body of every entry file: sets the title under which the process shows in `ps`, tells which
 * variables look like settings and are none, reads the configuration and runs. A wrong configuration ends with 78
 * (sysexits.h EX_CONFIG), any other failure with 1.
 */
export const enterProcess = <C>(
  title: string,
  load: (env: Environment) => C,
  run: (config: C, env: Environment) => Promise<void>,
): void => {
  process.title = title;
  process.umask(PRIVATE_UMASK);
  const start = async (): Promise<void> => {
    const env = environmentOfProcess((line) => process.stderr.write(`${safeForTerminal(line)}\n`));
    await run(load(env), env);
  };
  // Runs after the entry file has been evaluated, which calls this first and defines below what it uses.
  Promise.resolve().then(start).catch(report);
};

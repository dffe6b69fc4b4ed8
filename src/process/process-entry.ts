import { CONFIG_EXIT_CODE, ConfigError } from '../base/errors/config-error.ts';
import { readProcessEnvironment } from '../config/environment.ts';
import type { Environment } from '../config/settings/load-settings.ts';
import { safeForTerminal } from '../base/text/safe-for-terminal.ts';
import { StartError } from '../base/errors/start-error.ts';

/**
 * The umask until the settings are read. It keeps other accounts of the machine out of the files that a process
 * creates.
 */
const PRIVATE_UMASK = 0o077;

/**
 * Runs a process, and is called by its entry file. It sets the title that `ps` shows, warns about variables that look
 * like settings but are not, reads the configuration, and calls `run`. The process exits with 78 (EX_CONFIG of
 * sysexits.h) if the configuration is wrong, and with 1 after any other failure.
 */
export const enterProcess = <C>(
  title: string,
  load: (env: Environment) => C,
  run: (config: C, env: Environment) => Promise<void>,
): void => {
  process.title = title;
  process.umask(PRIVATE_UMASK);
  const start = async (): Promise<void> => {
    const env = readProcessEnvironment((line) => process.stderr.write(`${safeForTerminal(line)}\n`));
    await run(load(env), env);
  };
  // Started only after the entry file was evaluated to its end, because `run` may use what the file defines further
  // below.
  Promise.resolve().then(start).catch(report);
};

const report = (error: unknown): void => {
  if (error instanceof ConfigError) {
    process.stderr.write(`${safeForTerminal(error.message)}\n`);
    process.exit(CONFIG_EXIT_CODE);
  }
  const description = error instanceof StartError ? error.message : unexpectedErrorText(error);
  process.stderr.write(`${safeForTerminal(description)}\n`);
  process.exit(1);
};

/** Returns the text of an unexpected error, with its stack. */
const unexpectedErrorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? String(error)) : String(error);

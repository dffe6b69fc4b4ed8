/**
 * The exit code for a wrong configuration, EX_CONFIG of sysexits.h. It tells a process manager that starting again will
 * not help.
 */
export const CONFIG_EXIT_CODE = 78;

/**
 * Largest number of problems of one file that are shown. A file of an entirely different kind would have a problem in
 * every line.
 */
export const MAX_PROBLEMS = 50;

/**
 * Thrown when the configuration is wrong. Each of `problems` is one line. It usually names a variable or a file, what
 * was expected and what was received.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** EX_CONFIG of sysexits.h: tells a process manager that starting again will not help. */
export const CONFIG_EXIT_CODE = 78;

/** Problems of one file that are shown: a file of another kind altogether has one in every line. */
export const MAX_PROBLEMS = 50;

/** Thrown when the configuration is wrong. `problems` has one line each, with variable, expected and received. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

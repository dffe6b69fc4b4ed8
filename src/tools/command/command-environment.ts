/** Variables of the worker that a command gets as they are. */
const PASSED_VARIABLES = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];

export interface EnvironmentOptions {
  /** Environment of the worker. */
  readonly env: NodeJS.ProcessEnv;
  /** Names of variables that the operator hands on. */
  readonly handedOn: readonly string[];
  /** HOME: a folder only for this command. */
  readonly home: string;
  /** Folders in which programs are looked for, as in PATH. */
  readonly path: string;
}

/** Returns the complete environment of a command. Nothing else of the environment of the worker gets into it. */
export const commandEnvironment = ({ env, handedOn, home, path }: EnvironmentOptions): NodeJS.ProcessEnv => {
  const variables = [...PASSED_VARIABLES, ...handedOn].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(variables),
    PATH: path,
    HOME: home,
    TMPDIR: '/tmp',
    TERM: 'dumb',
    CI: '1',
  };
};

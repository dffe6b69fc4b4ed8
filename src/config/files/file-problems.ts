import { MAX_PROBLEMS } from '../../base/errors/config-error.ts';

/** The file that a variable of the environment names. */
interface NamedFile {
  readonly variable: string;
  readonly path: string;
}

/** Adds what was found wrong with a file to `problems`, a line each, as far as a person would read on. */
export const addProblems = (
  problems: string[],
  { variable, path }: NamedFile,
  found: readonly string[],
): void => {
  problems.push(...found.slice(0, MAX_PROBLEMS).map((problem) => `${variable}: ${path}: ${problem}`));
  if (found.length <= MAX_PROBLEMS) return;
  problems.push(`${variable}: and ${found.length - MAX_PROBLEMS} more problems`);
};

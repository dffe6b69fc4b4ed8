import { MAX_PROBLEMS } from './config-error.ts';

/** A file whose path is the value of an environment variable. */
export interface NamedFile {
  readonly variable: string;
  readonly path: string;
}

/**
 * Returns what was found wrong with a file, one line for each of `found`, for a ConfigError. After `MAX_PROBLEMS` of
 * them, a last line says how many more there are.
 */
export const fileProblems = ({ variable, path }: NamedFile, found: readonly string[]): readonly string[] => {
  const lines = found.slice(0, MAX_PROBLEMS).map((problem) => `${variable}: ${path}: ${problem}`);
  const more = found.length - MAX_PROBLEMS;
  return more > 0 ? [...lines, `${variable}: ${path}: and ${more} more problems`] : lines;
};

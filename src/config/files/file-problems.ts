import { MAX_PROBLEMS } from '../../base/errors/config-error.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';

/** A file whose path is the value of an environment variable. */
interface NamedFile {
  readonly variable: string;
  readonly path: string;
}

/**
 * Returns why a JSON file could not be read. Says nothing of the text in it, which a syntax error quotes: it may be a
 * key.
 */
export const unreadableReason = (error: unknown): string =>
  error instanceof SyntaxError ? 'it is no JSON' : errorMessage(error);

/**
 * Adds what was found wrong with a file to `problems`, one line each. After MAX_PROBLEMS of them, a last line says how
 * many more there are.
 */
export const addProblems = (
  problems: string[],
  { variable, path }: NamedFile,
  found: readonly string[],
): void => {
  problems.push(...found.slice(0, MAX_PROBLEMS).map((problem) => `${variable}: ${path}: ${problem}`));
  if (found.length <= MAX_PROBLEMS) return;
  problems.push(`${variable}: and ${found.length - MAX_PROBLEMS} more problems`);
};

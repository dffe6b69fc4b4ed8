import { readFileSync } from 'node:fs';
import type { NamedFile } from '../../base/errors/file-problems.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';

/** A JSON file that an environment variable names. */
interface JsonFile extends NamedFile {
  /** What the file should be, as problems say it: `a JSON file of prices`. */
  readonly expected: string;
  /** True when the file may hold a key. Problems then quote nothing of its text, as a syntax error would. */
  readonly mayHoldKey?: boolean;
  /** Maximum size of the file in bytes. Absent means that there is none. */
  readonly maxBytes?: number;
}

/**
 * Reads a JSON file. Returns undefined if it cannot be read, is too large or is no JSON, and then adds one line to
 * `problems`. Never throws.
 */
export const readJsonFile = (file: JsonFile, problems: string[]): unknown => {
  const { variable, path, expected, maxBytes = Number.POSITIVE_INFINITY } = file;
  let reason: string;
  try {
    const text = readFileSync(path, 'utf8');
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxBytes) return JSON.parse(text) as unknown;
    reason = `${bytes} bytes, more than ${maxBytes}`;
  } catch (error) {
    reason = file.mayHoldKey === true && error instanceof SyntaxError ? 'it is no JSON' : errorMessage(error);
  }
  problems.push(`${variable}: expected ${expected}, received ${path} (${reason})`);
  return undefined;
};

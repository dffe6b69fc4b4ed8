import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Makes a directory with all that is missing above it; throws when that cannot be, or when something else has its
 * name. Not `mkdir` with `recursive`: below `/proc` that one never comes back (it takes ENOENT for a missing parent).
 */
export const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path);
  } catch (error) {
    const parent = dirname(path);
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    makeDirectory(parent);
    makeDirectory(path);
  }
};

import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Hands lines to a child process as a file that has no name: reached by its inherited handle alone, and gone with
 * it, however the processes end.
 */
export const withRulesFile = async <T>(
  lines: readonly string[],
  use: (file: FileHandle) => Promise<T>,
): Promise<T> => {
  const path = join(tmpdir(), `orion-rules-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    await file.write(`${lines.join('\n')}\n`, 0);
    return await use(file);
  } finally {
    await file.close();
  }
};

import type { FileHandle } from 'node:fs/promises';
import { letGo } from './let-go.ts';

/**
 * Writes chunks to a file one after the other, always one behind: the next chunk is received and hashed while the
 * last one is on its way. `take` gets each chunk before it is written; false ends it. The chunks are the writer's:
 * what is written is let go (`letGo`). Rejects with the first error of the source, of `take` or of the file, once
 * nothing is being written any more.
 */
export const writeBehind = async (
  handle: FileHandle,
  source: AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => boolean,
): Promise<void> => {
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of source) {
      if (!take(chunk)) break;
      await writing;
      writing = handle.writeFile(chunk).then(() => letGo(chunk));
      // It is awaited before the next chunk or at the end; until then a failure is nobody's unhandled one.
      writing.catch(() => undefined);
    }
  } finally {
    await writing;
  }
};

import type { FileHandle } from 'node:fs/promises';

/**
 * Writes chunks to a file one after the other, always one behind: while a chunk is being written, the next one is
 * received and given to `take`. `take` gets each chunk before it is written. When it returns false, neither that chunk
 * nor any later one is written. Chunks belong to the writer and are freed once written (`freeBytes`). Rejects with the
 * first error of the source, of `take` or of the file, once no write is under way.
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
      writing = handle.writeFile(chunk).then(() => freeBytes(chunk));
      // Awaited before the next chunk or at the end; until then a failure must not count as unhandled.
      writing.catch(() => undefined);
    }
  } catch (error) {
    await writing.catch(() => undefined);
    throw error;
  }
  await writing;
};

/**
 * Frees the memory of bytes that are no longer read. They are empty afterwards. Does nothing for bytes that share their
 * buffer with others. If this were left to the garbage collector, every ten megabytes that stream through a process
 * would cost it a collection of the whole heap: tens of milliseconds in which no turn streams.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if ('transfer' in buffer && buffer.byteLength === byteLength) buffer.transfer(0);
};

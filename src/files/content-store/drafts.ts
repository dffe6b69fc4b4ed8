import { link, mkdir, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionIdSchema } from '../../contracts/write-session/write-session.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { createWholeFile, openIfExists, syncDirectory } from './whole-file.ts';

/**
 * Called once a chunk is whole, before it gets its place, with its number of bytes. When it rejects, the append
 * rejects, too, and stores nothing.
 */
export type AdmitChunk = (bytes: number) => Promise<void>;

/** The result of adding a chunk to a draft. */
export type AppendOutcome =
  /** The chunk is durable, and `offset` is where the next one begins. */
  | { readonly kind: 'stored'; readonly offset: number }
  /** The chunk does not begin where the draft ends, which is at `offset`; nothing was stored. */
  | { readonly kind: 'offset'; readonly offset: number }
  | { readonly kind: 'too_large' }
  /** The draft has as many chunks as it may have; nothing was stored. */
  | { readonly kind: 'too_many' };

/** Largest number of chunks of one draft. Each is a file, and every append reads the names of all of them. */
export const MAX_CHUNKS = 1_000;

const CHUNK_NAME = /^\d{16}$/;

/**
 * Drafts that grow chunk by chunk. A session has one directory, with one file per chunk, named by the offset at which
 * the chunk begins.
 *
 * A chunk is linked to its name when it is whole and fsynced. A link is exclusive, also on a volume that several
 * gateways share. Hence:
 *
 * - Of two chunks for one offset at most one is stored.
 * - No process that may die holds a lock.
 * - A torn chunk never has a name, so the chunks always lie end to end.
 */
export class DraftFiles {
  readonly #drafts: string;
  readonly #temps: string;
  readonly #maxBytes: number;

  constructor(folders: { readonly drafts: string; readonly temps: string }, maxBytes: number) {
    this.#drafts = folders.drafts;
    this.#temps = folders.temps;
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds a chunk at `offset`, in bytes. Once it resolves to `stored`, the chunk survives a power cut. An empty chunk is
   * `stored` without a file. Rejects with the error of the file system, of the source or of `admit`, and with ZodError
   * if `sessionId` is no session id.
   */
  async append(
    sessionId: string,
    offset: number,
    source: AsyncIterable<Uint8Array>,
    admit?: AdmitChunk,
  ): Promise<AppendOutcome> {
    const folder = this.#folderOf(sessionId);
    const { size, chunks } = await measure(folder);
    if (offset !== size) return { kind: 'offset', offset: size };
    if (chunks >= MAX_CHUNKS) return { kind: 'too_many' };
    return createWholeFile<number | undefined, AppendOutcome>(
      this.#temps,
      (handle) => fill(handle, source, this.#maxBytes - offset),
      async (temp, bytes) => {
        if (bytes === undefined) return { kind: 'too_large' };
        // An empty chunk would take the name of the next one.
        if (bytes === 0) return { kind: 'stored', offset };
        await admit?.(bytes);
        if (await this.#nameChunk(temp, folder, offset)) return { kind: 'stored', offset: offset + bytes };
        return { kind: 'offset', offset: (await measure(folder)).size };
      },
    );
  }

  /** Returns the offset at which the last chunk ends, 0 if there is none. */
  async readSize(sessionId: string): Promise<number> {
    return (await measure(this.#folderOf(sessionId))).size;
  }

  /**
   * Yields the chunks that the draft has now, whatever is appended meanwhile. Throws if the draft is removed meanwhile.
   */
  async *read(sessionId: string): AsyncGenerator<Uint8Array, void> {
    const folder = this.#folderOf(sessionId);
    for (const name of await listChunkNames(folder)) {
      const handle = await openIfExists(join(folder, name));
      if (handle === undefined) throw new Error(`draft of ${sessionId}: removed while it was read`);
      yield* handle.createReadStream() as AsyncIterable<Uint8Array>;
    }
  }

  /**
   * Removes the draft, if there is one. Rejects with the error of the file system, and with ZodError if `sessionId` is
   * no session id.
   */
  async remove(sessionId: string): Promise<void> {
    await rm(this.#folderOf(sessionId), { recursive: true, force: true });
  }

  /** Gives a chunk its name; returns false when another chunk has taken the offset. */
  async #nameChunk(temp: string, folder: string, offset: number): Promise<boolean> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The first chunk makes the session's directory, whose name must survive a power cut, too.
    if (offset === 0) await syncDirectory(this.#drafts);
    const isFirst = await linkOnce(temp, join(folder, chunkName(offset)));
    if (isFirst) await syncDirectory(folder);
    return isFirst;
  }

  /**
   * Returns the directory of a session's chunks. Throws ZodError for anything but a session id, since it becomes a file
   * name.
   */
  #folderOf(sessionId: string): string {
    return join(this.#drafts, sessionIdSchema.parse(sessionId));
  }
}

const chunkName = (offset: number): string => String(offset).padStart(16, '0');

/** Writes the source to the file. Returns the number of bytes, or undefined as soon as they exceed `room`. */
const fill = async (
  handle: FileHandle,
  source: AsyncIterable<Uint8Array>,
  room: number,
): Promise<number | undefined> => {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > room) return undefined;
    await handle.writeFile(chunk);
  }
  return bytes;
};

const linkOnce = async (from: string, to: string): Promise<boolean> => {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
};

const listChunkNames = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).filter((name) => CHUNK_NAME.test(name)).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
};

const measure = async (folder: string): Promise<{ readonly size: number; readonly chunks: number }> => {
  const names = await listChunkNames(folder);
  const last = names.at(-1);
  const size = last === undefined ? 0 : Number(last) + (await stat(join(folder, last))).size;
  return { size, chunks: names.length };
};

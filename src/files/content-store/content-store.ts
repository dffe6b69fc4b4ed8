import { createHash } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentRef, contentRefSchema, sessionIdSchema } from '../../contracts/write-session.ts';
import { ContentMeasure, type ContentRefusal } from './content-measure.ts';
import { type AdmitChunk, type AppendOutcome, DraftFiles } from './drafts.ts';
import { pruneStore, type StoreFolders } from './prune.ts';
import { untilAborted } from './until-aborted.ts';
import { errnoOf } from '../workspace/workspace-error.ts';
import { makeWholeFile, openIfThere, syncDirectory, writeBehind } from '../workspace/whole-file.ts';

/** The result of storing content: its reference, or why nothing was stored. */
export type PutOutcome = { readonly kind: 'stored'; readonly content: ContentRef } | ContentRefusal;

/** The result of storing content that its receiver judges once it is whole; `dropped`: it was measured and not kept. */
export type AdmittedOutcome = PutOutcome | { readonly kind: 'dropped'; readonly content: ContentRef };

/**
 * Asked once content is whole and before it gets its name: the session that it is for, undefined to drop it. A
 * rejection is the put's, and leaves nothing either.
 */
export type AdmitContent = (content: ContentRef) => Promise<string | undefined>;

/** A file's content before a commit, by hash and size: kept for an undo. */
export interface BeforeImage {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Content of write sessions on disk, named by its session and its SHA-256 (docs/write-sessions.md): no session can
 * take away what another one needs. Whatever it answers is durable: fsynced before the answer. Several processes may
 * use one directory, also over a shared volume. At most one chunk of a source is held in memory. Methods reject with
 * the file system's error (ENOSPC …) or the source's.
 *
 * A refused source is returned (`iterator.return()`), which destroys a Node stream: to be able to answer, a
 * server passes `request.iterator({ destroyOnReturn: false })`.
 */
export interface ContentStore {
  /**
   * Stores a source as text, whose chunks it takes over (`freeBytes`). Refuses too much as soon as it passes, and what
   * is not UTF-8 or only blank.
   */
  put(sessionId: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<PutOutcome>;
  /** Puts content that may turn out to be nobody's: `admit` decides once it is measured. */
  putAdmitted(source: AsyncIterable<Uint8Array>, admit: AdmitContent): Promise<AdmittedOutcome>;
  /** Stores the content of an empty file, which `put` refuses as blank. */
  putEmpty(sessionId: string): Promise<ContentRef>;
  /** Opens stored content, undefined if there is none. Counts as use; the caller closes the handle. */
  open(sessionId: string, sha256: string): Promise<FileHandle | undefined>;
  has(sessionId: string, sha256: string): Promise<boolean>;
  /**
   * Gives stored content another name, outside of the store; false where that cannot be: another file system, one
   * without hard links, no content. Rejects when the name is taken.
   */
  link(sessionId: string, sha256: string, path: string): Promise<boolean>;
  /** Texts that grow chunk by chunk, by session id. */
  readonly drafts: {
    append(
      sessionId: string,
      offset: number,
      source: AsyncIterable<Uint8Array>,
      admit?: AdmitChunk,
    ): Promise<AppendOutcome>;
    /** Bytes stored; 0 without a draft. */
    size(sessionId: string): Promise<number>;
    /** Stores the draft as content, as `put` does; the draft stays until it is removed. */
    seal(sessionId: string, signal?: AbortSignal): Promise<PutOutcome | { readonly kind: 'none' }>;
  };
  /** Removes draft and contents of a session, which has ended. */
  forget(sessionId: string): Promise<void>;
  /** The content of files before a commit: any bytes, kept for `UNDO_MS`. */
  readonly undo: {
    keep(source: AsyncIterable<Uint8Array>): Promise<BeforeImage>;
    open(sha256: string): Promise<FileHandle | undefined>;
  };
  /**
   * Removes content unused for 24 hours, but for that of sessions `kept`, undo copies of 7 days and what killed
   * processes left.
   */
  prune(now: Date, kept?: ReadonlySet<string>): Promise<{ removed: number }>;
}

export interface ContentStoreOptions {
  readonly dataDir: string;
  /** Most UTF-8 bytes of one content. */
  readonly maxBytes: number;
}

/** Content may become a file of a workspace (`link`); until then its folder, 0700, is what keeps it private. */
const LINKABLE = 0o666;

/** EPERM also where the kernel lets nobody link another user's files. */
const CANNOT_LINK: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'ENOENT']);

/** Opens the store in `<dataDir>/content`, which is made if it is missing. */
export const openContentStore = async ({ dataDir, maxBytes }: ContentStoreOptions): Promise<ContentStore> => {
  const blobs = join(dataDir, 'content');
  const folders: StoreFolders = {
    blobs,
    undo: join(blobs, 'undo'),
    drafts: join(blobs, 'drafts'),
    temps: join(blobs, 'temps'),
  };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true, mode: 0o700 });
  return new FileContentStore(folders, maxBytes);
};

class FileContentStore implements ContentStore {
  readonly #folders: StoreFolders;
  readonly #maxBytes: number;
  readonly #drafts: DraftFiles;

  constructor(folders: StoreFolders, maxBytes: number) {
    this.#folders = folders;
    this.#maxBytes = maxBytes;
    this.#drafts = new DraftFiles(folders, maxBytes);
  }

  async put(sessionId: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<PutOutcome> {
    const outcome = await this.putAdmitted(abortable(source, signal), () => Promise.resolve(sessionId));
    if (outcome.kind === 'dropped') throw new Error('content was dropped that everybody wants');
    return outcome;
  }

  putAdmitted(source: AsyncIterable<Uint8Array>, admit: AdmitContent): Promise<AdmittedOutcome> {
    return makeWholeFile<Awaited<ReturnType<typeof fillMeasured>>, AdmittedOutcome>(
      this.#folders.temps,
      (handle) => fillMeasured(handle, source, this.#maxBytes),
      async (temp, filled) => {
        if (filled.kind !== 'measured') return filled;
        const sessionId = await admit(filled.content);
        if (sessionId === undefined) return { kind: 'dropped', content: filled.content };
        // Renamed also over the same content: its time of storing is what the pruning goes by.
        await this.#place(temp, this.#folders.blobs, nameOf(sessionId, filled.content.sha256));
        return { kind: 'stored', content: filled.content };
      },
      LINKABLE,
    );
  }

  putEmpty(sessionId: string): Promise<ContentRef> {
    return makeWholeFile(
      this.#folders.temps,
      () => Promise.resolve({ sha256: createHash('sha256').digest('hex'), bytes: 0, lines: 0 }),
      async (temp, content) => {
        await this.#place(temp, this.#folders.blobs, nameOf(sessionId, content.sha256));
        return content;
      },
      LINKABLE,
    );
  }

  async open(sessionId: string, sha256: string): Promise<FileHandle | undefined> {
    const handle =
      (await openIfThere(join(this.#folders.blobs, nameOf(sessionId, sha256)))) ??
      // Stored before names told the session, by the version before: the session was open when this one was started.
      (await openIfThere(join(this.#folders.blobs, hashName(sha256))));
    if (handle === undefined) return undefined;
    const now = new Date();
    // With a second name it is a file of a workspace as well, whose times are not the store's to set.
    if ((await handle.stat()).nlink === 1) await handle.utimes(now, now);
    return handle;
  }

  async has(sessionId: string, sha256: string): Promise<boolean> {
    const handle = await this.open(sessionId, sha256);
    await handle?.close();
    return handle !== undefined;
  }

  async link(sessionId: string, sha256: string, path: string): Promise<boolean> {
    try {
      await link(join(this.#folders.blobs, nameOf(sessionId, sha256)), path);
      return true;
    } catch (error) {
      if (CANNOT_LINK.has(errnoOf(error) ?? '')) return false;
      throw error;
    }
  }

  readonly drafts: ContentStore['drafts'] = {
    append: (sessionId, offset, source, admit) => this.#drafts.append(sessionId, offset, source, admit),
    size: (sessionId) => this.#drafts.size(sessionId),
    seal: async (sessionId, signal) =>
      (await this.#drafts.size(sessionId)) === 0
        ? { kind: 'none' }
        : this.put(sessionId, this.#drafts.read(sessionId), signal),
  };

  async forget(sessionId: string): Promise<void> {
    await this.#drafts.remove(sessionId);
    const names = await readdir(this.#folders.blobs);
    const own = names.filter((name) => name.startsWith(`${sessionId}.`));
    await Promise.all(own.map((name) => rm(join(this.#folders.blobs, name), { force: true })));
  }

  readonly undo: ContentStore['undo'] = {
    keep: (source) =>
      makeWholeFile(
        this.#folders.temps,
        (handle) => fillHashed(handle, source),
        async (temp, before) => {
          await this.#place(temp, this.#folders.undo, before.sha256);
          return before;
        },
      ),
    open: (sha256) => openIfThere(join(this.#folders.undo, hashName(sha256))),
  };

  async prune(now: Date, kept: ReadonlySet<string> = new Set()): Promise<{ removed: number }> {
    return { removed: await pruneStore(this.#folders, now, kept) };
  }

  async #place(temp: string, folder: string, sha256: string): Promise<void> {
    await rename(temp, join(folder, sha256));
    await syncDirectory(folder);
  }
}

const fillMeasured = async (handle: FileHandle, source: AsyncIterable<Uint8Array>, maxBytes: number) => {
  const measure = new ContentMeasure(maxBytes);
  let refusal: ContentRefusal | undefined;
  await writeBehind(handle, source, (chunk) => (refusal = measure.add(chunk)) === undefined);
  return refusal ?? measure.end();
};

const fillHashed = async (handle: FileHandle, source: AsyncIterable<Uint8Array>): Promise<BeforeImage> => {
  const hash = createHash('sha256');
  let bytes = 0;
  await writeBehind(handle, source, (chunk) => {
    hash.update(chunk);
    bytes += chunk.byteLength;
    return true;
  });
  return { sha256: hash.digest('hex'), bytes };
};

const abortable = (
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> => (signal === undefined ? source : untilAborted(source, signal));

/** A session id becomes a file name, as a hash does; anything else must not. */
const nameOf = (sessionId: string, sha256: string): string =>
  `${sessionIdSchema.parse(sessionId)}.${hashName(sha256)}`;

/** A hash becomes a file name; anything else must not. */
const hashName = (sha256: string): string => contentRefSchema.shape.sha256.parse(sha256);

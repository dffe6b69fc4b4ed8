import { createHash } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ContentRef,
  contentRefSchema,
  sessionIdSchema,
} from '../../contracts/write-session/write-session.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { writeBehind } from '../workspace/write-behind.ts';
import { createWholeFile, openIfExists, syncDirectory } from './whole-file.ts';
import { ContentMeasure, type ContentRefusal } from './content-measure.ts';
import type {
  AdmitContent,
  AdmittedOutcome,
  BeforeImage,
  ContentStore,
  ContentStoreOptions,
  PutOutcome,
} from './content-store.ts';
import { DraftFiles } from './drafts.ts';
import { pruneStore, type StoreFolders } from './prune.ts';
import { chunksUntilAborted } from './abortable-chunks.ts';

/**
 * Mode of stored content, less the umask. The content may become a file of a workspace (`link`); until then its folder,
 * with mode 0700, keeps it private.
 */
const LINKABLE = 0o666;

/**
 * Errors after which content has to be copied, because it cannot be linked. EPERM also comes where the kernel lets
 * nobody link files of another user, and ENOENT where the content is not stored under its present name.
 */
const CANNOT_LINK: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'ENOENT']);

/** Opens the store in `<dataDir>/content`, which is made if it is missing. Rejects when that is impossible. */
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
    const outcome = await this.putAdmitted(chunksUntilAborted(source, signal), () =>
      Promise.resolve(sessionId),
    );
    if (outcome.kind === 'dropped') throw new Error('content that was admitted was refused');
    return outcome;
  }

  putAdmitted(source: AsyncIterable<Uint8Array>, admit: AdmitContent): Promise<AdmittedOutcome> {
    return createWholeFile<Awaited<ReturnType<typeof fillMeasured>>, AdmittedOutcome>(
      this.#folders.temps,
      (handle) => fillMeasured(handle, source, this.#maxBytes),
      async (temp, filled) => {
        if (filled.kind !== 'measured') return filled;
        const sessionId = await admit(filled.content);
        if (sessionId === undefined) return { kind: 'dropped', content: filled.content };
        // Renamed even over the same content, because the pruning goes by the time at which a file was stored.
        await this.#place(temp, this.#folders.blobs, nameOf(sessionId, filled.content.sha256));
        return { kind: 'stored', content: filled.content };
      },
      LINKABLE,
    );
  }

  putEmpty(sessionId: string): Promise<ContentRef> {
    return createWholeFile(
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
      (await openIfExists(join(this.#folders.blobs, nameOf(sessionId, sha256)))) ??
      // An earlier version stored content without a session id in its name. A session that was open during the upgrade
      // may have such content.
      (await openIfExists(join(this.#folders.blobs, hashName(sha256))));
    if (handle === undefined) return undefined;
    const now = new Date();
    // A file with a second name is also a file of a workspace, whose times the store must not set.
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
    readSize: (sessionId) => this.#drafts.readSize(sessionId),
    seal: async (sessionId, signal) =>
      (await this.#drafts.readSize(sessionId)) === 0
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
    storeCopy: (source) =>
      createWholeFile(
        this.#folders.temps,
        (handle) => fillHashed(handle, source),
        async (temp, before) => {
          await this.#place(temp, this.#folders.undo, hashName(before.sha256));
          return before;
        },
      ),
    open: (sha256) => openIfExists(join(this.#folders.undo, hashName(sha256))),
  };

  async prune(now: Date, kept: ReadonlySet<string> = new Set()): Promise<{ removed: number }> {
    return { removed: await pruneStore(this.#folders, now, kept) };
  }

  async #place(temp: string, folder: string, name: string): Promise<void> {
    await rename(temp, join(folder, name));
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

/** Returns the file name of a session's content. Throws ZodError for anything but a session id and a hash. */
const nameOf = (sessionId: string, sha256: string): string =>
  `${sessionIdSchema.parse(sessionId)}.${hashName(sha256)}`;

/** Returns a hash as a file name. Throws ZodError for any other text, such as a path. */
const hashName = (sha256: string): string => contentRefSchema.shape.sha256.parse(sha256);

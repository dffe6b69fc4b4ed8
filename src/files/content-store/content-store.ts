import type { FileHandle } from 'node:fs/promises';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { ContentRefusal } from './content-measure.ts';
import type { AdmitChunk, AppendOutcome } from './drafts.ts';

/** The result of storing content: its reference, or why nothing was stored. */
export type PutOutcome = { readonly kind: 'stored'; readonly content: ContentRef } | ContentRefusal;

/**
 * The result of storing content that its receiver judges once it is whole. `dropped` means that it was measured and not
 * kept.
 */
export type AdmittedOutcome = PutOutcome | { readonly kind: 'dropped'; readonly content: ContentRef };

/**
 * Called once content is whole, before it gets its name. Returns the id of the session that the content is for, or
 * undefined to drop the content. When it rejects, `putAdmitted` rejects, too, and stores nothing.
 */
export type AdmitContent = (content: ContentRef) => Promise<string | undefined>;

/** A file's content before a commit or a tool changed it, by hash and size. It is kept for an undo. */
export interface BeforeImage {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Content of write sessions on disk, named by its session and its SHA-256, so that no session can take away what
 * another one needs (docs/write-sessions.md). What a method has stored is fsynced before it resolves. Several processes
 * may use one directory, also over a shared volume. At most two chunks of a source are held in memory. Methods reject
 * with an error of the file system (ENOSPC …), the error of the source, or ZodError for what is no session id or no
 * hash.
 *
 * The rest of a source is not read once its content is refused: its iterator is ended with `return()`, which destroys a
 * Node stream. A server that still has to answer passes `request.iterator({ destroyOnReturn: false })`.
 */
export interface ContentStore {
  /**
   * Stores a source as text, and frees its chunks (`freeBytes`). Refuses content that is not UTF-8 or is blank, and
   * content of more than `maxBytes` as soon as it exceeds them. Rejects with the reason of `signal` once that is
   * aborted.
   */
  put(sessionId: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<PutOutcome>;
  /** Stores content as `put` does, for the session that `admit` names once the content is measured. */
  putAdmitted(source: AsyncIterable<Uint8Array>, admit: AdmitContent): Promise<AdmittedOutcome>;
  /** Stores the content of an empty file, which `put` refuses as blank. */
  putEmpty(sessionId: string): Promise<ContentRef>;
  /**
   * Opens stored content for reading. Returns undefined if there is none; the caller closes the handle. This counts as
   * a use, which keeps the content for another 24 hours, except for content that is also a file of a workspace.
   */
  open(sessionId: string, sha256: string): Promise<FileHandle | undefined>;
  /** Reports whether content is stored. Counts as a use, as `open` does. */
  has(sessionId: string, sha256: string): Promise<boolean>;
  /**
   * Gives stored content another name, outside of the store. Returns false where that is impossible, such as on another
   * file system or on one without hard links, and when the content is not stored. Rejects with EEXIST when the name is
   * taken.
   */
  link(sessionId: string, sha256: string, path: string): Promise<boolean>;
  /** Drafts of files, by session id: each grows as chunks are appended. */
  readonly drafts: {
    /** Appends a chunk at `offset`, in bytes, if that is where the draft ends. */
    append(
      sessionId: string,
      offset: number,
      source: AsyncIterable<Uint8Array>,
      admit?: AdmitChunk,
    ): Promise<AppendOutcome>;
    /** Returns the size of the draft in bytes, 0 if there is none. */
    readSize(sessionId: string): Promise<number>;
    /**
     * Stores the draft as content, as `put` does; the draft stays until it is removed. Resolves to `none` if there is
     * no draft.
     */
    seal(sessionId: string, signal?: AbortSignal): Promise<PutOutcome | { readonly kind: 'none' }>;
  };
  /** Removes draft and contents of a session, which must have ended. */
  forget(sessionId: string): Promise<void>;
  /**
   * Copies of what files held before a commit or a tool changed them: any bytes, kept for `UNDO_MS` and found by hash.
   */
  readonly undo: {
    storeCopy(source: AsyncIterable<Uint8Array>): Promise<BeforeImage>;
    open(sha256: string): Promise<FileHandle | undefined>;
  };
  /**
   * Removes content and drafts that were unused for 24 hours, except those of the sessions `kept`. Also removes undo
   * copies older than 7 days, and what killed processes have left. Returns how many files and drafts it removed.
   */
  prune(now: Date, kept?: ReadonlySet<string>): Promise<{ removed: number }>;
}

export interface ContentStoreOptions {
  readonly dataDir: string;
  /** Largest size of one content, in bytes of UTF-8. */
  readonly maxBytes: number;
}

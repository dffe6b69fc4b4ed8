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
 * Called once content is whole and before it gets its name: returns the session that it is for, or undefined to drop
 * it. When it rejects, so does the put, which then leaves nothing either.
 */
export type AdmitContent = (content: ContentRef) => Promise<string | undefined>;

/** A file's content before a commit, by hash and size, which is kept for an undo. */
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
   * Stores a source as text, and frees its chunks (`freeBytes`). Refuses too large content as soon as it exceeds the
   * limit, and what is not UTF-8 or only blank.
   */
  put(sessionId: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<PutOutcome>;
  /** Puts content that may turn out to belong to no session: `admit` decides once it is measured. */
  putAdmitted(source: AsyncIterable<Uint8Array>, admit: AdmitContent): Promise<AdmittedOutcome>;
  /** Stores the content of an empty file, which `put` refuses as blank. */
  putEmpty(sessionId: string): Promise<ContentRef>;
  /** Opens stored content, undefined if there is none. Counts as use; the caller closes the handle. */
  open(sessionId: string, sha256: string): Promise<FileHandle | undefined>;
  has(sessionId: string, sha256: string): Promise<boolean>;
  /**
   * Gives stored content another name, outside of the store. Returns false if that is impossible: on another file
   * system, on one without hard links, or without content. Rejects when the name is taken.
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
  /** Removes draft and contents of a session, which must have ended. */
  forget(sessionId: string): Promise<void>;
  /** The content of files before a commit: any bytes, kept for `UNDO_MS`. */
  readonly undo: {
    storeCopy(source: AsyncIterable<Uint8Array>): Promise<BeforeImage>;
    open(sha256: string): Promise<FileHandle | undefined>;
  };
  /**
   * Removes content that was unused for 24 hours, except that of sessions `kept`, undo copies older than 7 days, and
   * what killed processes have left.
   */
  prune(now: Date, kept?: ReadonlySet<string>): Promise<{ removed: number }>;
}

export interface ContentStoreOptions {
  readonly dataDir: string;
  /** Largest size of one content, in bytes of UTF-8. */
  readonly maxBytes: number;
}

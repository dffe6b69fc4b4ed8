import type { WriteSessionRepository } from '../../db/write-sessions/write-session-repository.ts';
import type { ContentStore } from '../../files/content-store/content-store.ts';
import type { CurrentText } from '../../files/workspace/current-text.ts';
import type { WriteSessions } from '../../write-session-service/write-sessions.ts';

/** The parts that the routes of write sessions use. Production: `composeWriteSessions`. */
export interface WriteSessionParts {
  readonly writeSessions: WriteSessions;
  readonly repository: Pick<WriteSessionRepository, 'find' | 'list'>;
  readonly contents: {
    readonly putAdmitted: ContentStore['putAdmitted'];
    readonly putEmpty: ContentStore['putEmpty'];
    readonly forget: ContentStore['forget'];
    readonly drafts: Pick<ContentStore['drafts'], 'append' | 'readSize'>;
  };
  /**
   * Returns the current size in bytes of a session's target. Returns null when there is no such file. Rejects with
   * WorkspaceError.
   */
  readonly readTargetBytes: (projectId: string, targetFile: string) => Promise<number | null>;
  /** Returns the current text of a session's target. Rejects with WorkspaceError. */
  readonly readTargetText: (projectId: string, targetFile: string) => Promise<CurrentText>;
  /**
   * Largest content in bytes. The content store itself refuses more. The routes know the limit, too, so that they can
   * refuse a body by its `Content-Length`.
   */
  readonly maxContentBytes: number;
}

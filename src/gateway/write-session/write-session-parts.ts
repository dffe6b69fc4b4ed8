import type { WriteSessionRepository } from '../../db/write-session-repository.ts';
import type { WriteSessions } from '../../write-session-service/write-sessions.ts';
import type { ContentStore } from '../../files/content-store/content-store.ts';

/** What the routes of write sessions stand on. Production wiring: `compose-gateway.ts`. */
export interface WriteSessionParts {
  readonly sessions: WriteSessions;
  readonly rows: Pick<WriteSessionRepository, 'find' | 'list'>;
  readonly contents: {
    readonly putAdmitted: ContentStore['putAdmitted'];
    readonly putEmpty: ContentStore['putEmpty'];
    readonly drafts: Pick<ContentStore['drafts'], 'append' | 'size'>;
  };
  /** Bytes of the file that a session writes, as it stands; null when there is none, or none that can be read. */
  readonly targetBytes: (projectId: string, targetFile: string) => Promise<number | null>;
  /** The content store refuses more by itself; known here to refuse by `Content-Length`. */
  readonly maxContentBytes: number;
}

import type { SessionEnded } from '../../src/contracts/write-session.ts';
import type {
  CloseWriteSessionInput,
  CommitWriteInput,
  CommitWriteResult,
} from '../../src/contracts/payload/session-activities.ts';

/** The side effects of a write session, as its workflow sees them. */
export interface WriteSessionActivities {
  /** One fenced attempt to write, which ends the row; failures that are the caller's to know are outcomes. */
  commitWrite(input: CommitWriteInput): Promise<CommitWriteResult>;
  /** Ends the row; resolves to the end that stands, which need not be the one asked for. */
  closeWriteSession(input: CloseWriteSessionInput): Promise<SessionEnded>;
}

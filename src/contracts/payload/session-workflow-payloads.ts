import type { ContentRef, SessionStage, WriteOperation } from '../write-session.ts';
import type { CommitOutcome } from './session-activity-payloads.ts';

/** Input of `writeSessionWorkflow` and the `start_input` column of its row. */
export interface WriteSessionInput {
  readonly revision: 1;
  readonly sessionId: string;
  readonly projectId: string;
  /** As it was asked for; relative to the workspace, `/`-separated. */
  readonly targetFile: string;
  readonly operation: WriteOperation;
  readonly intent: string;
  readonly inactivityTimeoutMs: number;
  /** The turn that began the session: its workflow is told the end. */
  readonly turnId?: string;
  /** Somebody is asked before the commit: nobody but its turn finalizes it. */
  readonly needsApproval?: true;
  /** The namespace has Orion's search attributes. */
  readonly searchAttributes: boolean;
}

/** Answer of a finalize: the commit's, or the session has ended and this content is not what it ended with. */
export type FinalizeOutcome =
  | CommitOutcome
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  /** Nobody has allowed it. `inputId`: the request that waits for a reply; absent while the text is being written. */
  | { readonly kind: 'approval_required'; readonly inputId?: string };

/** Answer of the `sessionStatus` query. Times are milliseconds since the epoch. */
export interface SessionStatus {
  readonly stage: SessionStage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly expiresAt: number;
  /** Reference of the draft that a finalize without content would commit, if the turn has set one. */
  readonly draft: ContentRef | null;
}

import type { WriteOperation } from '../write-session/write-session.ts';

/** Input of `writeSessionWorkflow` and the `start_input` column of its row. */
export interface WriteSessionInput {
  readonly revision: 1;
  readonly sessionId: string;
  readonly projectId: string;
  /** Path as the client or the model gave it: relative to the workspace, with `/` between its parts. */
  readonly targetFile: string;
  readonly operation: WriteOperation;
  readonly intent: string;
  readonly inactivityTimeoutMs: number;
  /** The turn that began the session. Its workflow is notified of the end. */
  readonly turnId?: string;
  /** Set when the commit needs an approval. Then only the turn that began the session can finalize it. */
  readonly needsApproval?: true;
  /** True when the namespace has Orion's search attributes. */
  readonly searchAttributes: boolean;
}

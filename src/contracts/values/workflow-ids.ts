/** Returns the workflow id of a turn, which depends only on the turn's id. */
export const turnWorkflowId = (turnId: string): string => `turn/${turnId}`;

/** Returns the workflow id of the compaction that ends with a turn. */
export const compactWorkflowId = (turnId: string): string => `compact/${turnId}`;

/** Returns the workflow id of a write session, which depends only on the session's id. */
export const writeSessionWorkflowId = (sessionId: string): string => `write-session/${sessionId}`;

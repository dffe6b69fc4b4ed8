/**
 * Entry of the workflow bundle. Everything reachable from here runs in Temporal's deterministic sandbox: time and
 * randomness come from the history, and there is no environment, no I/O and nothing of Node
 * (`test/worker/bundle.test.ts` builds it).
 */
export { compactWorkflow } from './compact-workflow.ts';
export { notifyWorkflow } from './notify-workflow.ts';
export { retentionWorkflow } from './retention-workflow.ts';
export { turnWorkflow } from './turn/turn-workflow.ts';
export { writeSessionWorkflow } from './write-session/write-session-workflow.ts';

import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { MAX_WAITING_MS } from '../contracts/inputs/input-request.ts';
import { ORION_PROJECT, ORION_SESSION, ORION_STATUS } from '../contracts/payload/search-attribute-keys.ts';
import { DAY_MS } from '../contracts/values/units.ts';
import { writeSessionWorkflowId } from '../contracts/values/workflow-ids.ts';
import type { WriteSessionInput } from '../contracts/payload/session-workflow-payloads.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import { callWithDeadline } from '../temporal/call-deadline.ts';
import { startWithAttributes } from '../temporal/search-attribute-delay.ts';
import { closeSession } from './close-session.ts';
import type { SessionDeps } from './session-deps.ts';

/**
 * Largest number of tries of a call to a session's workflow. A try that finds the session half-started, or ended from
 * outside, reconciles it before the next one.
 */
export const MAX_SESSION_TRIES = 3;
/**
 * Time in milliseconds for a begin over HTTP, from the insert of its row until its run id is stored. A begin that takes
 * longer counts as never answered.
 */
const BEGIN_MS = 5_000;
/**
 * Time in milliseconds, beyond its inactivity timeout, after which a session ends even if it is still written to.
 * Otherwise drafts could be sent for ever, and the history would grow without bound.
 */
const MAX_SESSION_MS = DAY_MS;
/**
 * Time in milliseconds after which a dead worker's task goes to another worker
 * (docs/decisions/workflow-task-timeout.md).
 */
const TASK_TIMEOUT_MS = 2_000;
/** Number of characters of the target's path that a summary shows. The server refuses summaries above 400 bytes. */
const SHOWN_TARGET_CHARACTERS = 80;

/**
 * The result of reconciling a session. `open` means that its workflow runs, or that its begin may be under way.
 * `closed_here` means that the row was closed, because the workflow is closed or may not act, or because the begin was
 * never answered.
 */
export type SessionReconcileOutcome = 'open' | 'closed_here';

/**
 * Brings a row that has not ended and its workflow together, as for turns (docs/turns.md "Starting a turn"). It tries
 * to start the workflow, and concludes nothing from "not found". A begin over HTTP that was never answered is ended
 * instead, after `BEGIN_MS`. Wherever a process died, and whatever was clicked in the Web UI, afterwards the session
 * either continues or holds no lock. Throws while Temporal or Postgres cannot be reached.
 */
export const reconcileSession = async (
  deps: SessionDeps,
  row: WriteSessionRow,
): Promise<SessionReconcileOutcome> => {
  if (isUnconfirmed(row)) {
    if (Date.now() - row.startedAt.getTime() < BEGIN_MS) return 'open';
    await terminate(deps, row.sessionId, 'its begin was never answered');
    await closeSession(deps, row.sessionId, 'cancelled');
    return 'closed_here';
  }
  return startSession(deps, row);
};

/**
 * Reports whether a session was begun over HTTP and has no run id yet. If that lasts, no client knows its id, and
 * starting its workflow would only hold its locks until it expires. A turn knows the id beforehand and asks again.
 */
const isUnconfirmed = ({ runId, turnId }: WriteSessionRow): boolean => runId === null && turnId === null;

/**
 * Starts a session's workflow, or closes the row of a workflow that is closed or was reset, as `reconcileSession` does.
 * It is also the second half of a begin, and throws as `reconcileSession` does.
 */
export const startSession = async (
  deps: SessionDeps,
  row: WriteSessionRow,
): Promise<SessionReconcileOutcome> => {
  if (await ensureRunning(deps, row)) return 'open';
  await closeSession(deps, row.sessionId, 'cancelled');
  return 'closed_here';
};

/**
 * Tries to start the session's workflow, stores its run id, and reports whether the workflow runs and may act. A run
 * that a reset has begun may not act. It is terminated, since it would hold the locks until its timer fires.
 */
const ensureRunning = async (deps: SessionDeps, row: WriteSessionRow): Promise<boolean> => {
  const runId = await startOrFind(deps, row.input);
  if (runId === undefined) return false;
  const storedRunId = row.runId ?? (await deps.repository.setRunId(row.sessionId, runId));
  if (storedRunId === runId) return true;
  await terminate(deps, row.sessionId, 'a reset run of a write session may not write');
  return false;
};

/**
 * Starts the workflow of a session, or finds the run that is open, and returns its run id. Returns undefined if the
 * workflow was closed, since its id cannot be used again.
 */
const startOrFind = async (
  { client, taskQueue }: SessionDeps,
  input: WriteSessionInput,
): Promise<string | undefined> => {
  const start = (started: WriteSessionInput) =>
    callWithDeadline(client, () =>
      client.workflow.start('writeSessionWorkflow', startOptions(taskQueue, started)),
    );
  try {
    const handle = input.searchAttributes
      ? await startWithAttributes((hasAttributes) => start({ ...input, searchAttributes: hasAttributes }))
      : await start(input);
    return handle.firstExecutionRunId;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
};

const terminate = async ({ client }: SessionDeps, sessionId: string, reason: string): Promise<void> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  try {
    await callWithDeadline(client, () => handle.terminate(reason));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
};

const startOptions = (taskQueue: string, input: WriteSessionInput): WorkflowStartOptions => ({
  workflowId: writeSessionWorkflowId(input.sessionId),
  taskQueue,
  args: [input],
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  workflowIdConflictPolicy: 'USE_EXISTING',
  workflowExecutionTimeout:
    MAX_SESSION_MS + input.inactivityTimeoutMs + (input.needsApproval ? MAX_WAITING_MS : 0),
  workflowTaskTimeout: TASK_TIMEOUT_MS,
  memo: { target: input.targetFile.slice(-SHOWN_TARGET_CHARACTERS) },
  staticSummary: `${input.operation} ${input.targetFile.slice(-SHOWN_TARGET_CHARACTERS)} · ${input.projectId}`,
  ...(input.searchAttributes && {
    typedSearchAttributes: [
      { key: ORION_PROJECT, value: input.projectId },
      { key: ORION_SESSION, value: input.sessionId },
      { key: ORION_STATUS, value: 'awaiting_content' },
    ],
  }),
});

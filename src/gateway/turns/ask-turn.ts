import { isGrpcServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import { turnWorkflowId } from '../../contracts/ids.ts';
import { askWorker } from '../../temporal/ask-worker.ts';
import { reconcileTurn, type ReconcileDeps } from '../../turns/reconcile.ts';

/** An answer to the client is due within 2 s. */
const ANSWER_MS = 1_600;
/** gRPC status "ABORTED": the workflow was just closing. */
const ABORTED = 10;

/** What the workflow of a turn says. `gone`: there is none that could say anything. */
export type TurnAnswer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly failure: ApplicationFailure }
  | { readonly kind: 'gone' };

/** An update, and which of its failures are answers. */
export interface TurnQuestion<T, Request> {
  readonly update: UpdateDefinition<T, [Request]>;
  readonly request: Request;
  /** Whether a failure of this type is an answer. */
  isRefusal(type: unknown): boolean;
}

/**
 * Has the workflow of a turn decide, by an update. "Not found" is not "ended": a crash may have come between the row
 * and its workflow. Throws when no worker answers within 2 s.
 */
export const askTurn = async <T, Request>(
  deps: ReconcileDeps,
  turnId: string,
  question: TurnQuestion<T, Request>,
): Promise<TurnAnswer<T>> => {
  const first = await ask(deps, turnId, question);
  if (first.kind !== 'gone') return first;
  const row = await deps.turns.find(turnId);
  const runs = row?.status === 'running' && (await reconcileTurn(deps, row)) === 'running';
  return runs ? ask(deps, turnId, question) : first;
};

const ask = async <T, Request>(
  { client }: ReconcileDeps,
  turnId: string,
  { update, request, isRefusal }: TurnQuestion<T, Request>,
): Promise<TurnAnswer<T>> => {
  const handle = client.workflow.getHandle(turnWorkflowId(turnId));
  try {
    const value = await askWorker(client, ANSWER_MS, () => handle.executeUpdate(update, { args: [request] }));
    return { kind: 'answered', value };
  } catch (error) {
    const failure = failureOf(error);
    if (failure && isRefusal(failure.type)) return { kind: 'refused', failure };
    if (isGone(error)) return { kind: 'gone' };
    throw error;
  }
};

const failureOf = (error: unknown): ApplicationFailure | undefined =>
  error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure
    ? error.cause
    : undefined;

const isGone = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError ||
  error instanceof WorkflowUpdateFailedError ||
  (isGrpcServiceError(error) && error.code === ABORTED);

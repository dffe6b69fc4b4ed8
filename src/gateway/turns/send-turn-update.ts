import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import { turnWorkflowId } from '../../contracts/values/workflow-ids.ts';
import { askWorker } from '../../temporal/ask-worker.ts';
import { TEMPORAL_CALL_MS } from '../../temporal/call-deadline.ts';
import { WorkersMissingError } from '../../temporal/temporal-unavailable.ts';
import { isWorkflowGone } from '../../temporal/workflow-gone.ts';
import { ensureTurnRuns, type ReconcileDeps } from '../../turn-service/reconcile.ts';

/** The answer of a turn's workflow to an update. `gone` means that no workflow can answer. */
export type TurnUpdateOutcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly failure: ApplicationFailure }
  | { readonly kind: 'gone' };

/** An update with its payload. Some of its failures are refusals, which count as answers. */
export interface TurnUpdate<T, Payload> {
  readonly definition: UpdateDefinition<T, [Payload]>;
  /** Returns the payload. It is called once no other update of the turn is under way at this gateway. */
  request(): Promise<Payload>;
  /**
   * Id of the update. Once the workflow has accepted an update, Temporal gives its answer to all later ones with the
   * same id. Without an id, each update is decided anew.
   */
  readonly updateId?: string;
  /** Reports whether a failure of this type is a refusal. */
  isRefusal(type: unknown): boolean;
}

/**
 * Asks the workflow of a turn to decide, by an update. If there is no open workflow although the row says that the turn
 * runs, the turn is reconciled, because its workflow may not have been started yet. Then the workflow is asked again.
 * Rejects with WorkersMissingError when Temporal answers but no worker does within `TEMPORAL_CALL_MS`, and with other
 * errors when Temporal or Postgres cannot be reached. If earlier updates of the turn have used up the time, it rejects
 * with the error of the last one, or with WorkersMissingError.
 */
export type SendTurnUpdate = <T, Payload>(
  turnId: string,
  update: TurnUpdate<T, Payload>,
) => Promise<TurnUpdateOutcome<T>>;

/**
 * Creates the function that sends updates, one at a time to each turn, because Temporal allows a workflow ten that are
 * under way, from all gateways together. Updates of a turn with the same id that are sent at the same time share one
 * call.
 */
export const createSendTurnUpdate = (deps: ReconcileDeps): SendTurnUpdate => {
  const enqueue = createQueues();
  const inFlight = new Map<string, Promise<TurnUpdateOutcome<unknown>>>();
  const enqueueUpdate = <T, Payload>(turnId: string, update: TurnUpdate<T, Payload>) => {
    const due = Date.now() + TEMPORAL_CALL_MS;
    return enqueue(turnId, (failureBefore) => {
      if (Date.now() >= due) return Promise.reject(failureBefore ?? new WorkersMissingError(NO_TIME_LEFT));
      return sendOrReconcile(deps, turnId, update, due);
    });
  };
  return async <T, Payload>(turnId: string, update: TurnUpdate<T, Payload>) => {
    if (update.updateId === undefined) return enqueueUpdate(turnId, update);
    const key = `${turnId} ${update.updateId}`;
    const sameUpdate = inFlight.get(key) as Promise<TurnUpdateOutcome<T>> | undefined;
    if (sameUpdate) return sameUpdate;
    const outcome = enqueueUpdate(turnId, update);
    inFlight.set(key, outcome);
    return outcome.finally(() => inFlight.delete(key));
  };
};

const NO_TIME_LEFT = new Error('earlier requests to this turn used up the time');

/**
 * Makes a queue for each turn, which runs one update after the other. `work` is given the error with which the update
 * before it failed, or undefined.
 */
const createQueues = () => {
  const failureByTurn = new Map<string, Promise<unknown>>();
  return async <T>(turnId: string, work: (failureBefore: unknown) => Promise<T>): Promise<T> => {
    const outcome = (failureByTurn.get(turnId) ?? Promise.resolve()).then(work);
    const failure = outcome.then(
      () => undefined,
      (error: unknown) => error,
    );
    failureByTurn.set(turnId, failure);
    await failure;
    if (failureByTurn.get(turnId) === failure) failureByTurn.delete(turnId);
    return outcome;
  };
};

const sendOrReconcile = async <T, Payload>(
  deps: ReconcileDeps,
  turnId: string,
  update: TurnUpdate<T, Payload>,
  due: number,
): Promise<TurnUpdateOutcome<T>> => {
  const call = { ...update, request: await update.request(), due };
  const firstOutcome = await sendUpdate(deps, turnId, call);
  if (firstOutcome.kind !== 'gone') return firstOutcome;
  return (await ensureTurnRuns(deps, turnId)) ? sendUpdate(deps, turnId, call) : firstOutcome;
};

type UpdateCall<T, Payload> = Omit<TurnUpdate<T, Payload>, 'request'> & {
  readonly request: Payload;
  /** Time at which the answer must be there, in milliseconds since 1970. */
  readonly due: number;
};

const sendUpdate = async <T, Payload>(
  { client }: ReconcileDeps,
  turnId: string,
  { definition, updateId, request, isRefusal, due }: UpdateCall<T, Payload>,
): Promise<TurnUpdateOutcome<T>> => {
  const handle = client.workflow.getHandle(turnWorkflowId(turnId));
  const options = { args: [request] as [Payload], ...(updateId !== undefined && { updateId }) };
  try {
    const value = await askWorker(client, due - Date.now(), () => handle.executeUpdate(definition, options));
    return { kind: 'answered', value };
  } catch (error) {
    const failure = failureOf(error);
    if (failure && isRefusal(failure.type)) return { kind: 'refused', failure };
    if (isWorkflowGone(error)) return { kind: 'gone' };
    throw error;
  }
};

const failureOf = (error: unknown): ApplicationFailure | undefined =>
  error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure
    ? error.cause
    : undefined;

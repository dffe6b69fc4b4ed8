import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { type AcceptedSteer, type SteerRequest, steerRequestSchema } from '../contracts/inputs/steering.ts';
import { SteerQueue } from '../protocol/inputs/steer-queue.ts';
import { hasGrpcStatus } from '../temporal/grpc-status.ts';
import { steerSignal, steerUpdate } from '../temporal/turn-messages.ts';

/** Milliseconds that reading one page may take. The request that closes the turn should be answered within 2 s. */
const PAGE_DEADLINE_MS = 2_000;

type HistoryPage = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
type HistoryEvent = NonNullable<NonNullable<HistoryPage['history']>['events']>[number];

/** One run of a workflow; a reset begins another under the same workflow id. */
export interface WorkflowExecution {
  readonly workflowId: string;
  readonly runId: string;
}

/** What the history of a turn says about it, even when no worker answers for the turn. */
export interface SteerHistory {
  /** True when a worker has taken up the turn. Before that, no query can tell more than the history. */
  readonly hasBegun: boolean;
  /** All messages into the turn that its workflow has accepted, whether or not its model has read them. */
  readonly accepted: readonly AcceptedSteer[];
}

/**
 * Returns the id of the first run of a workflow, whichever runs resets have begun since. Returns undefined when the
 * history is gone.
 */
export const findFirstRunId = async (client: Client, workflowId: string): Promise<string | undefined> => {
  const request = { namespace: client.options.namespace, execution: { workflowId }, maximumPageSize: 1 };
  const [started] = (await findPage(client, request))?.history?.events ?? [];
  return started?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
};

/**
 * Reads the history page by page, and keeps only what `SteerHistory` has. Returns no messages when the history is gone.
 */
export const readSteerHistory = async (client: Client, run: WorkflowExecution): Promise<SteerHistory> => {
  // A queue like the workflow's own decides, because the history has messages by signal whether or not they were
  // accepted.
  const queue = new SteerQueue();
  let hasBegun = false;
  for await (const event of readEvents(client, run)) {
    hasBegun ||= Boolean(event.workflowTaskCompletedEventAttributes);
    const request = requestOf(event);
    if (!request || queue.judge(request).kind !== 'counts') continue;
    const { messageId, content, when, by = { kind: 'temporal' } } = request;
    queue.accept({ messageId, content, when, by, at: timeOf(event) });
  }
  return { hasBegun, accepted: queue.pending };
};

const readEvents = async function* (
  client: Client,
  run: WorkflowExecution,
): AsyncGenerator<HistoryEvent, void, undefined> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = {
      namespace: client.options.namespace,
      execution: run,
      ...(nextPageToken && { nextPageToken }),
    };
    const page = await findPage(client, request);
    if (!page) return;
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
};

type PageRequest = Parameters<Client['workflowService']['getWorkflowExecutionHistory']>[0];

const findPage = async (client: Client, request: PageRequest): Promise<HistoryPage | undefined> => {
  try {
    return await client.withDeadline(Date.now() + PAGE_DEADLINE_MS, () =>
      client.workflowService.getWorkflowExecutionHistory(request),
    );
  } catch (error) {
    if (hasGrpcStatus(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
};

/**
 * Returns the message of an update that was accepted, or of a signal. Returns undefined for any other event, and for a
 * message that cannot be read.
 */
const requestOf = (event: HistoryEvent): SteerRequest | undefined => {
  const { input: updated } = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest ?? {};
  const signalled = event.workflowExecutionSignaledEventAttributes;
  const args = updated?.name === steerUpdate.name ? updated.args : undefined;
  const payloads = signalled?.signalName === steerSignal.name ? signalled.input : args;
  const [payload] = payloads?.payloads ?? [];
  return payload && steerRequestSchema.safeParse(valueOf(payload)).data;
};

/**
 * Returns the value of the payload of a signal or an update. Returns undefined if it cannot be read: a message that was
 * sent by hand may carry anything.
 */
const valueOf = (payload: Payload): unknown => {
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
};

const timeOf = ({ eventTime }: HistoryEvent): string =>
  new Date(Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000).toISOString();

/** Covers closing the row of a turn whose workflow somebody else has ended. */
import { describe, expect, it } from '@jest/globals';
import { QueryNotRegisteredError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import type { TurnRepository } from '../../src/db/turns/turn-repository.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import { closeOutside } from '../../src/turn-service/close-outside.ts';
import { partOf } from '../support/part-of.ts';
import { withoutPatience } from './support/without-patience.ts';

/** The numbers of gRPC statuses. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;

const said: EventBatch[] = [{ epoch: 101, seq: 1, after: null, events: ['said'] }];

interface ClosedWorkflow {
  readonly hasWorker: boolean;
  readonly closedAt?: number;
  readonly isGone?: boolean;
  /** True when Temporal does not say whether and when the workflow was closed. */
  readonly isUnanswered?: boolean;
  /** The messages into the turn that its model has not read, or the message with which this query fails. */
  readonly pending?: unknown[] | string;
  /** The history, with one event on each page; a worker has taken up the turn unless `runId` is null. */
  readonly history?: object[];
  readonly runId?: null;
}

const queriesOf = (workflow: ClosedWorkflow) => (query: { readonly name: string }) => {
  if (!workflow.hasWorker) return Promise.reject(new Error('no worker'));
  if (query.name !== 'pendingSteers') return Promise.resolve({ batches: said, more: false });
  const { pending = [] } = workflow;
  return typeof pending === 'string'
    ? Promise.reject(new QueryNotRegisteredError(pending, INVALID_ARGUMENT))
    : Promise.resolve(pending);
};

const started = { workflowExecutionStartedEventAttributes: { firstExecutionRunId: 'r1' } };
const begun = { workflowTaskCompletedEventAttributes: {} };

const pagesOf =
  ({ history = [started, begun], isGone }: ClosedWorkflow) =>
  ({ nextPageToken }: { readonly nextPageToken?: Uint8Array }) => {
    if (isGone) {
      return Promise.reject(Object.assign(new Error('gone'), { code: NOT_FOUND, details: '', metadata: {} }));
    }
    const at = nextPageToken?.[0] ?? 0;
    const next = at + 1 < history.length ? Uint8Array.of(at + 1) : new Uint8Array();
    return Promise.resolve({ history: { events: history.slice(at, at + 1) }, nextPageToken: next });
  };

const describedAs = ({ isGone, isUnanswered, closedAt = Date.now() }: ClosedWorkflow): Promise<unknown> => {
  if (isUnanswered) return new Promise(() => undefined);
  return isGone
    ? Promise.reject(new WorkflowNotFoundError('gone', 'turn/t1', undefined))
    : Promise.resolve({ closeTime: new Date(closedAt) });
};

/** Closes a workflow that answers queries or does not, and was closed at `closedAt`. */
const close = async (workflow: ClosedWorkflow): Promise<unknown[]> => {
  const closes: unknown[] = [];
  const asked: unknown[] = [];
  const handle = {
    query: queriesOf(workflow),
    describe: () => describedAs(workflow),
  };
  const client = partOf<Client>({
    options: { namespace: 'default' },
    workflow: { getHandle: (...ids: unknown[]) => (asked.push(ids), handle) },
    workflowService: { getWorkflowExecutionHistory: pagesOf(workflow) },
    withDeadline: withoutPatience,
  });
  const turns = partOf<TurnRepository>({
    close: (input: unknown) => {
      closes.push(input);
      return Promise.resolve({ isClosedHere: true });
    },
  });
  const runId = workflow.runId === undefined ? 'r1' : null;
  await closeOutside({ client, turns }, { turnId: 't1', runId } as TurnRow);
  if (!workflow.isGone) expect(asked).toEqual([['turn/t1', 'r1']]);
  return closes;
};

const accepted = (messageId: string, content = `say ${messageId}`) => ({
  eventTime: { seconds: 1_767_225_600, nanos: 500_000_000 },
  workflowExecutionUpdateAcceptedEventAttributes: {
    acceptedRequest: {
      input: { name: 'steer', args: payloads({ messageId, content, by: { kind: 'key', name: 'anna' } }) },
    },
  },
});
const signalled = (message: unknown) => ({
  workflowExecutionSignaledEventAttributes: { signalName: 'steer', input: payloads(message) },
});
const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });
const broken = () => {
  const [payload] = payloads('text').payloads;
  return { payloads: [{ ...payload, data: new TextEncoder().encode('{') }] };
};

describe('closeOutside', () => {
  it('keeps what the closed workflow still says', async () => {
    await expect(close({ hasWorker: true })).resolves.toEqual([{ turnId: 't1', outside: { batches: said } }]);
  });

  it('keeps messages into the turn that were not read', async () => {
    await expect(close({ hasWorker: true, pending: ['a message'] })).resolves.toEqual([
      { turnId: 't1', outside: { batches: said, unapplied: ['a message'] } },
    ]);
  });

  it('reports none as unread in a worker of a version that takes no messages', async () => {
    const pending =
      'Workflow did not register a handler for pendingSteers. Registered queries: [eventsSince]';
    await expect(close({ hasWorker: true, pending })).resolves.toEqual([
      { turnId: 't1', outside: { batches: said } },
    ]);
  });

  it('loses no messages when the query for them fails', async () => {
    const failing = { hasWorker: true, pending: 'a defect', history: [started, begun, accepted('a')] };
    await expect(close(failing)).rejects.toThrow('a defect');
    await expect(close({ ...failing, closedAt: Date.now() - 31_000 })).resolves.toMatchObject([
      { outside: { unapplied: [{ messageId: 'a' }] } },
    ]);
  });

  it('does not wait for a Temporal that hangs', async () => {
    await expect(close({ hasWorker: false, isUnanswered: true })).rejects.toThrow('deadline exceeded');
  });

  it('waits for workers that restart instead of dropping the text', async () => {
    await expect(close({ hasWorker: false })).rejects.toThrow('no worker');
  });

  it('closes without the text when no worker has answered for half a minute', async () => {
    const closedAt = Date.now() - 31_000;
    await expect(close({ hasWorker: false, closedAt })).resolves.toEqual([
      { turnId: 't1', outside: { batches: [] } },
    ]);
  });

  it('closes without the text when the history is gone', async () => {
    const nothing = [{ turnId: 't1', outside: { batches: [] } }];
    await expect(close({ hasWorker: false, isGone: true })).resolves.toEqual(nothing);
    await expect(close({ hasWorker: false, isGone: true, runId: null })).resolves.toEqual(nothing);
  });

  it('hands back all messages that the history shows as accepted when no worker says which were read', async () => {
    const closedAt = Date.now() - 31_000;
    const history = [
      started,
      begun,
      accepted('a'),
      signalled({ messageId: 'b', content: 'by hand', when: 'now' }),
      // The workflow has taken none of these.
      signalled({ messageId: 'a', content: 'other words' }),
      signalled({ nonsense: true }),
      { workflowExecutionSignaledEventAttributes: { signalName: 'steer', input: broken() } },
      { workflowExecutionSignaledEventAttributes: { signalName: 'cancelTurn' } },
    ];
    await expect(close({ hasWorker: false, closedAt, history })).resolves.toMatchObject([
      {
        outside: {
          batches: [],
          unapplied: [
            {
              messageId: 'a',
              content: 'say a',
              when: 'boundary',
              by: { kind: 'key', name: 'anna' },
              at: '2026-01-01T00:00:00.500Z',
            },
            { messageId: 'b', content: 'by hand', when: 'now', by: { kind: 'temporal' } },
          ],
        },
      },
    ]);
    await expect(close({ hasWorker: false, history })).rejects.toThrow('no worker');
  });

  it('asks the first run when the row names none', async () => {
    await expect(close({ hasWorker: true, pending: ['a message'], runId: null })).resolves.toEqual([
      { turnId: 't1', outside: { batches: said, unapplied: ['a message'] } },
    ]);
  });

  it('does not wait when no worker has begun', async () => {
    const history = [started, signalled({ messageId: 'a', content: 'early' })];
    await expect(close({ hasWorker: false, history, runId: null })).resolves.toMatchObject([
      { outside: { batches: [], unapplied: [{ messageId: 'a' }] } },
    ]);
  });
});

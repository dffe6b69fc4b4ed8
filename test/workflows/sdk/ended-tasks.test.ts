/**
 * Covers a query that reaches a worker while the turn's next workflow task is scheduled but has not started: the
 * history then ends with events of that task, and the SDK replays them with the clock of the task before.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { Worker } from '@temporalio/worker';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import { QUERY_OF_CLOSED, TASK_NOT_ENDED } from '../../../src/contracts/payload/early-queries.ts';
import type { InputResolved } from '../../../src/contracts/wire/input-events.ts';
import type { EventsPage } from '../../../src/contracts/wire/event-batch.ts';
import { expandBatch, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import {
  appendEventsSignal,
  cancelTurnSignal,
  eventsSinceQuery,
  replySignal,
  replyUpdate,
} from '../../../src/temporal/turn-messages.ts';
import { queryOnceTaskEnded } from '../../../src/temporal/query-retries.ts';
import { eventually } from '../../support/eventually.ts';
import { temporalAddress, newTurnInput, TurnWorker, workflowBundle } from '../../support/turn-worker.ts';
import { untyped } from '../../support/untyped.ts';
import { endOf } from '../../support/workflow-end.ts';
import type { WorkerActivities } from '../../../worker/worker-options.ts';
import { interceptors } from '../../../workflows/sdk/ended-tasks.ts';
import { refusalOf } from '../support/asking-turn.ts';
import { openCuttableServer } from '../support/cuttable-server.ts';
import { asksBeforeWrites, scriptedInputs, writeCall } from '../support/scripted-inputs.ts';

/** The kinds of task queues, as Temporal numbers them. */
const [NORMAL, STICKY] = [1, 2] as const;
/** Temporal keeps a task or a query this long for the worker that had the turn. */
const STICKY_MS = 2_000;
const PATIENCE_MS = 60_000;

const workers: TurnWorker[] = [];
const begin = async (...options: Parameters<typeof TurnWorker.start>): Promise<TurnWorker> => {
  const worker = await TurnWorker.start(...options);
  workers.push(worker);
  return worker;
};
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

/** Starts a turn and resolves once it waits for a reply. `worker` starts its only worker. */
const waitingTurn = async (worker: (activities: WorkerActivities) => Promise<TurnWorker>) => {
  const world = scriptedInputs([{ calls: [writeCall('a.md')] }, { texts: ['Done.'] }]);
  // This worker only lends its connection, which survives the turn's own worker.
  const { client } = await begin({});
  const first = await worker(world.activities);
  const input = newTurnInput({ inputs: asksBeforeWrites() });
  const { workflowId } = await first.startTurn(input);
  const handle = client.workflow.getHandle(workflowId);
  await world.nextRequest();
  await eventually('a turn that waits', async () => {
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    return currentDetails.includes('waiting for a reply');
  });
  const denial = { inputId: inputIdOf(input.turnId, 1), reply: 'deny' as const };
  return { ...world, client, handle, first, taskQueue: first.taskQueue, denial };
};

/** Starts a turn that waits for a reply, and stops its only worker. */
const turnWithoutWorker = async () => {
  const turn = await waitingTurn((activities) => TurnWorker.start(activities));
  await turn.first.stop();
  return turn;
};

/** Makes Temporal believe that a worker holds the turn, although that worker no longer exists. */
const assignToGoneWorker = async (client: Client, handle: WorkflowHandle, taskQueue: string) => {
  const { workflowService } = client;
  const nobody = { namespace: 'default', identity: 'nobody' };
  const poll = (queue: { name: string; kind: number; normalName?: string }) =>
    client.withDeadline(Date.now() + PATIENCE_MS, () =>
      workflowService.pollWorkflowTaskQueue({ ...nobody, taskQueue: queue }),
    );
  await handle.signal(appendEventsSignal, []);
  const { taskToken } = await poll({ name: taskQueue, kind: NORMAL });
  const workerTaskQueue = { name: `nobody-${randomUUID()}`, kind: STICKY, normalName: taskQueue };
  const stickyAttributes = { workerTaskQueue, scheduleToStartTimeout: msToTs(STICKY_MS) };
  await workflowService.respondWorkflowTaskCompleted({ ...nobody, taskToken, stickyAttributes });
  // Temporal keeps nothing for a worker that has not polled lately.
  await client.withAbortSignal(AbortSignal.timeout(300), () => poll(workerTaskQueue)).catch(() => undefined);
  /** Takes the next task or query as that worker does, and never answers it. */
  return { take: () => poll(workerTaskQueue) };
};

const eventsOf = ({ batches }: Pick<EventsPage, 'batches'>): LoggedEvent[] => batches.flatMap(expandBatch);
const isOfWorkflow = ({ id }: LoggedEvent): boolean => id.epoch % 100 === 99;

const resolvedIn = (events: readonly LoggedEvent[]): InputResolved => {
  for (const { event } of events) if (event.type === 'input_resolved') return event;
  throw new Error('expected an input_resolved event, found none');
};

/** Checks that a reader was shown the request, and nothing that is not stored in the end. */
const expectStored = (shown: readonly LoggedEvent[], stored: readonly LoggedEvent[]): void => {
  expect(shown.map(({ event }) => event.type)).toContain('input_requested');
  expect(stored).toEqual(expect.arrayContaining([...shown]));
};

/**
 * Plays a turn whose worker refuses a reply and then cannot be reached. It gets a reply `pauseMs` milliseconds after a
 * query. Resolves to what the query was answered, what was stored in the end, and whether the query came too early at
 * first, because the worker got it before the task of the reply.
 */
const queryDuringReply = async (pauseMs: number) => {
  const server = await openCuttableServer(temporalAddress());
  const { client, handle, scripted, denial } = await waitingTurn((activities) =>
    begin(activities, { maxCachedWorkflows: 100, address: server.address }),
  );
  const forged = { ...denial, reply: 'allow', argsHash: 'f'.repeat(64) } as const;
  expect(await refusalOf(handle.executeUpdate(replyUpdate, { args: [forged] }))).toBe('input_changed');
  // After a restart Temporal has forgotten which worker polled; this has the same effect.
  const { workflowId } = handle;
  await client.workflowService.resetStickyTaskQueue({ namespace: 'default', execution: { workflowId } });
  server.cut();
  let wasEarly = false;
  const query = (): Promise<EventsPage> =>
    handle.query(eventsSinceQuery, null).catch((error: unknown) => {
      wasEarly ||= String(error).includes(TASK_NOT_ENDED);
      throw error;
    });
  const ask = () => client.withDeadline(Date.now() + PATIENCE_MS, () => queryOnceTaskEnded(query));
  // Temporal may still have handed the query to the connection that was cut.
  const page = ask().catch(ask);
  await delay(pauseMs);
  const repliedAt = Date.now();
  await handle.signal(replySignal, denial);
  server.mend();
  const shown = eventsOf(await page).filter(isOfWorkflow);
  await endOf(handle);
  const stored = eventsOf({ batches: scripted.closes[0]?.ownEvents ?? [] });
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await server.close();
  return { shown, stored, resolvedAt: Date.parse(resolvedIn(stored).at), repliedAt, wasEarly };
};

describe('while a workflow task has not ended', () => {
  it('shows events as they are stored, and leaves nothing behind that would not replay', async () => {
    const { client, handle, taskQueue, activities, scripted, denial } = await turnWithoutWorker();
    const nobody = await assignToGoneWorker(client, handle, taskQueue);
    await begin(activities, { maxCachedWorkflows: 100, taskQueue });
    const page = client.withDeadline(Date.now() + PATIENCE_MS, () =>
      queryOnceTaskEnded(() => handle.query(eventsSinceQuery, null)),
    );
    expect((await nobody.take()).query).toBeDefined();
    const repliedAt = Date.now();
    await handle.signal(replySignal, denial);
    const shown = eventsOf(await page).filter(isOfWorkflow);
    // The signal finds no workflow when the turn has ended already.
    await handle.signal(cancelTurnSignal).catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
    await endOf(handle);
    const stored = eventsOf({ batches: scripted.closes[0]?.ownEvents ?? [] });
    expectStored(shown, stored);
    const { at } = resolvedIn(stored);
    expect(Date.parse(at)).toBeGreaterThanOrEqual(repliedAt);
    const bundle = { codePath: workflowBundle() };
    await Worker.runReplayHistory({ workflowBundle: bundle }, await handle.fetchHistory());
  });

  it('shows nothing of a task that another worker has started, and may not end', async () => {
    const { client, handle, taskQueue, activities, scripted, denial } = await turnWithoutWorker();
    const nobody = await assignToGoneWorker(client, handle, taskQueue);
    await begin(activities, { maxCachedWorkflows: 100, taskQueue });
    const page = client.withDeadline(Date.now() + PATIENCE_MS, () =>
      queryOnceTaskEnded(() => handle.query(eventsSinceQuery, null)),
    );
    // Temporal hands over the query first, and then the task.
    expect((await nobody.take()).query).toBeDefined();
    await handle.signal(replySignal, denial);
    expect((await nobody.take()).query).toBeFalsy();
    const shown = eventsOf(await page).filter(isOfWorkflow);
    await endOf(handle);
    const stored = eventsOf({ batches: scripted.closes[0]?.ownEvents ?? [] });
    expectStored(shown, stored);
    const { events } = await handle.fetchHistory();
    const lost = events?.find(({ workflowTaskTimedOutEventAttributes: timedOut }) => timedOut)?.eventTime;
    expect(Date.parse(resolvedIn(stored).at)).toBeGreaterThanOrEqual(tsToMs(lost));
  });

  it('shows events as they are stored when the worker has just refused a reply', async () => {
    // Nothing announces that a query waits for the worker, so the pause before the reply grows until one did.
    let pauseMs = 25;
    await eventually('a query that waited when the reply came', async () => {
      const { shown, stored, resolvedAt, repliedAt, wasEarly } = await queryDuringReply((pauseMs *= 2));
      expectStored(shown, stored);
      expect(resolvedAt).toBeGreaterThanOrEqual(repliedAt);
      return wasEarly;
    });
  });

  it('still shows what no task of a closed turn has seen to those who know that it is closed', async () => {
    const { handle, taskQueue, activities, denial } = await turnWithoutWorker();
    await handle.signal(replySignal, denial);
    await handle.terminate();
    await begin(activities, { maxCachedWorkflows: 100, taskQueue });
    const refused = await handle.query(eventsSinceQuery, null).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(QueryNotRegisteredError);
    expect(String(refused)).toContain(TASK_NOT_ENDED);
    const page = await handle.query(eventsSinceQuery, null, QUERY_OF_CLOSED);
    expect(resolvedIn(eventsOf(page))).toMatchObject({ reply: 'deny' });
  });
});

type Query = 'direct' | 'in the task' | 'other';

const queryOf = (query: Query) => ({
  queryType: query === 'other' ? 'turnStatus' : eventsSinceQuery.name,
  queryId: query === 'in the task' ? '1' : 'legacy_query',
});

/** What an activation says of the history: its events, its bytes and the time of its last task; and what is new. */
interface ActivationFacts {
  readonly events?: number;
  readonly bytes?: number;
  readonly time?: number;
  readonly job?: object;
}

/** Returns the activation of a task that has started. Each task brings more events and bytes, and a later time. */
const started = (task: number, facts: ActivationFacts = {}) => {
  const { events = 6 * task, bytes = 100 * task, time = task, job = { resolveActivity: {} } } = facts;
  const history = { historyLength: events, historySizeBytes: untyped(bytes), timestamp: { nanos: time } };
  return { ...history, isReplaying: false, jobs: [job] };
};
/** Returns the activation of a task that had ended before the workflow was loaded. */
const replayed = (task: number) => ({ ...started(task), isReplaying: true });
/** Returns the activation with events behind a task that belong to no task which has started. */
const eventsBehind = (task: number) => started(task, { events: 6 * task + 2 });

/** What the SDK hands to a workflow: an activation, or one query. */
type HandedOver = ReturnType<typeof started> | Query;

/** Returns for each activation and query, in order, whether it reaches the workflow. */
const whichPass = (handed: readonly HandedOver[]): boolean[] => {
  const [guard] = interceptors().internals ?? [];
  return handed.map((one) => {
    const activation = typeof one === 'string' ? { jobs: [{ queryWorkflow: queryOf(one) }] } : one;
    try {
      guard?.activate?.({ activation, batchIndex: 0 }, () => undefined);
      return true;
    } catch (error) {
      expect(String(error)).toContain(TASK_NOT_ENDED);
      return false;
    }
  });
};

describe('an activation', () => {
  it.each<readonly [what: string, handed: readonly HandedOver[], expected: readonly boolean[]]>([
    [
      'of tasks that have started passes',
      [started(1), 'direct', started(2), 'direct'],
      [true, true, true, true],
    ],
    ['in two parts is one', [started(1), started(2), started(2), 'direct'], [true, true, true, true]],
    ['with events of none lets nobody ask', [started(1), eventsBehind(1), 'direct'], [true, true, false]],
    [
      'with events of none lets no task go on',
      [started(1), eventsBehind(1), started(2)],
      [true, true, false],
    ],
    [
      'of a task whose clock was set back passes',
      [started(1), started(2, { time: 1 }), 'direct'],
      [true, true, true],
    ],
    ['of a task that was loaded may be lost', [replayed(1), started(2), 'direct'], [true, true, false]],
    ['of a task that was loaded answers in it', [replayed(1), started(2), 'in the task'], [true, true, true]],
    ['of a task that was loaded says where it is', [replayed(1), started(2), 'other'], [true, true, true]],
    ['after such a task is sure', [replayed(1), started(2), started(3), 'direct'], [true, true, true, true]],
    ['of ended tasks alone is sure', [replayed(1), replayed(2), 'direct'], [true, true, true]],
    [
      'of a server that tells no sizes passes',
      [started(1, { bytes: 0 }), started(2, { bytes: 0 }), 'direct'],
      [true, true, true],
    ],
  ])('%s', (_what, handed, expected) => expect(whichPass(handed)).toEqual(expected));

  it.each(['signalWorkflow', 'fireTimer', 'cancelWorkflow'])(
    'with %s, of none, in place of a task with a refused update, lets nobody ask or go on',
    (news) => {
      const refusedUpdate = started(2, { job: { doUpdate: {} } });
      const inItsPlace = started(2, { job: { [news]: {} } });
      const handed = [refusedUpdate, 'direct', inItsPlace, 'direct', started(3)] as const;
      expect(whichPass(handed)).toEqual([true, true, true, false, false]);
    },
  );
});

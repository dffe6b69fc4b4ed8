import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { budgetsSchema } from '../../src/contracts/turn/budgets.ts';
import { turnWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import type { TurnInput, TurnSinks } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { workflowTaskTimeoutMs } from '../../src/turn-service/turn-start-options.ts';
import { workerOptions, type WorkerActivities } from '../../worker/worker-options.ts';
import { logLine } from './test-log.ts';

const environment = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name}: expected an address from the global set-up, received nothing`);
  return value;
};

export const temporalAddress = (): string => environment('ORION_TEST_TEMPORAL_ADDRESS');
export const workflowBundle = (): string => environment('ORION_TEST_WORKFLOW_BUNDLE');

export const newTurnInput = (overrides: Partial<TurnInput> = {}): TurnInput => ({
  revision: 1,
  turnId: randomUUID(),
  projectId: 'test',
  conversationId: randomUUID(),
  content: 'Hello?',
  mode: 'act',
  protocol: 'two_stage',
  model: 'fake',
  toolResultRole: 'tool',
  heartbeatTimeoutMs: 10_000,
  budgets: budgetsSchema.parse({}),
  searchAttributes: false,
  ...overrides,
});

let isInstalled = false;
/**
 * Sends what Temporal's runtime and its native core log to the run's log. The runtime can be installed only once per
 * process.
 */
export const quietRuntime = (): void => {
  if (isInstalled) return;
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) =>
    logLine(`temporal ${level} ${message} ${inspect(meta, { breakLength: Infinity })}`),
  );
  const filter = makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' });
  Runtime.install({ logger, telemetryOptions: { logging: { filter, forward: {} } } });
  isInstalled = true;
};

interface TurnWorkerOptions {
  /**
   * The number of workflows that the worker keeps in memory. 0, the default, replays each workflow from its first event
   * at every task, so that any non-determinism fails the test.
   */
  readonly maxCachedWorkflows?: number;
  readonly sinks?: TurnSinks;
  /** The default is a queue that only this worker polls. */
  readonly taskQueue?: string;
  /** Where Temporal, or a proxy of it, is reached. */
  readonly address?: string;
  readonly bundle?: WorkflowBundleOption;
}

/** A worker on the real server with scripted activities. */
export class TurnWorker {
  readonly client: Client;
  readonly #connection: Connection;
  readonly #native: NativeConnection;
  readonly #worker: Worker;
  readonly #running: Promise<void>;
  readonly taskQueue: string;

  private constructor(connection: Connection, native: NativeConnection, worker: Worker) {
    this.#connection = connection;
    this.#native = native;
    this.#worker = worker;
    this.taskQueue = worker.options.taskQueue;
    this.client = new Client({ connection });
    this.#running = worker.run();
  }

  static async start(
    activities: WorkerActivities,
    {
      maxCachedWorkflows = 0,
      sinks,
      taskQueue = `test-${randomUUID()}`,
      address = temporalAddress(),
      bundle = { codePath: workflowBundle() },
    }: TurnWorkerOptions = {},
  ): Promise<TurnWorker> {
    quietRuntime();
    const connection = await Connection.connect({ address });
    const native = await NativeConnection.connect({ address });
    const settings = {
      taskQueue,
      namespace: 'default',
      identity: undefined,
      shutdownGraceMs: 0,
      maxCachedWorkflows,
    };
    const worker = await Worker.create(workerOptions(native, bundle, activities, settings, sinks));
    return new TurnWorker(connection, native, worker);
  }

  startTurn(input: TurnInput): Promise<WorkflowHandle> {
    return this.client.workflow.start('turnWorkflow', {
      workflowId: turnWorkflowId(input.turnId),
      taskQueue: this.taskQueue,
      args: [input],
      workflowTaskTimeout: workflowTaskTimeoutMs(input),
    });
  }

  /**
   * Does what "Reset" in the Web UI does: starts a new run that begins after the first workflow task. Resolves to its
   * id.
   */
  resetToStart({ turnId }: TurnInput): Promise<string> {
    return this.reset(turnWorkflowId(turnId));
  }

  async reset(workflowId: string): Promise<string> {
    const { events } = await this.client.workflow.getHandle(workflowId).fetchHistory();
    const firstTask = events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
    const { runId } = await this.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
      workflowTaskFinishEventId: firstTask ?? null,
      requestId: randomUUID(),
      reason: 'test',
    });
    return runId;
  }

  async stop(): Promise<void> {
    this.#worker.shutdown();
    await this.#running;
    await Promise.all([this.#connection.close(), this.#native.close()]);
  }
}

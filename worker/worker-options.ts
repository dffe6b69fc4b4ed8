import type {
  InjectedSinks,
  NativeConnection,
  WorkerOptions,
  WorkflowBundleOption,
} from '@temporalio/worker';
import type { AllActivities } from '../activities/create-activities.ts';
import type { TurnSinks } from '../src/contracts/payload/turn-workflow-payloads.ts';

/** Longest time in milliseconds for which the SDK may hold heartbeats back. */
const MAX_HEARTBEAT_SILENCE_MS = 10_000;
/** Milliseconds from the end of the grace period until the SDK ends the worker by force. */
const FORCE_AFTER_GRACE_MS = 8_000;

/** The settings that may differ from one worker process to another. */
export interface WorkerSettings {
  readonly taskQueue: string;
  readonly namespace: string;
  /**
   * The name under which Temporal knows the worker. Undefined for the SDK's default, made of process id and host name.
   */
  readonly identity: string | undefined;
  /** Milliseconds for which activities may continue after a stop was requested, before they are interrupted. */
  readonly shutdownGraceMs: number;
  /**
   * The number of workflows that stay cached; 0 replays every workflow from its start at each task, and absent means
   * 1,000.
   */
  readonly maxCachedWorkflows?: number;
}

/** The activities of a worker. In production they are complete, while a worker in a test may lack some. */
export type WorkerActivities = Partial<AllActivities>;

/** The sinks of a worker that does not begin prompts early. */
const NO_SINKS: TurnSinks = { promptPrefetch: { begin: () => undefined } };

/**
 * Returns the options of a worker. Its limits are measured (docs/decisions/admission.md,
 * docs/decisions/heartbeat-thirty-seconds.md).
 */
export const workerOptions = (
  connection: NativeConnection,
  workflowBundle: WorkflowBundleOption,
  activities: WorkerActivities,
  settings: WorkerSettings,
  sinks = NO_SINKS,
): WorkerOptions => ({
  connection,
  namespace: settings.namespace,
  taskQueue: settings.taskQueue,
  ...(settings.identity !== undefined && { identity: settings.identity }),
  workflowBundle,
  activities,
  sinks: sinksOf(sinks),
  // A streaming activity holds its slot. With fewer slots than turns may run, `closeTurn` could wait for a slot that
  // only the end of a turn frees.
  maxConcurrentActivityTaskExecutions: 400,
  maxConcurrentWorkflowTaskExecutions: 40,
  maxCachedWorkflows: settings.maxCachedWorkflows ?? 1_000,
  stickyQueueScheduleToStartTimeout: 1_000,
  maxHeartbeatThrottleInterval: MAX_HEARTBEAT_SILENCE_MS,
  shutdownGraceTime: settings.shutdownGraceMs,
  shutdownForceTime: settings.shutdownGraceMs + FORCE_AFTER_GRACE_MS,
  // A workflow that cannot be replayed fails, so that it blocks no conversation and no file. The sweeper closes its
  // row.
  workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
});

const sinksOf = ({ promptPrefetch }: TurnSinks): InjectedSinks<TurnSinks> => ({
  promptPrefetch: { begin: { fn: (_info, turn) => promptPrefetch.begin(turn) } },
});

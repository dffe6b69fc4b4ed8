import type {
  InjectedSinks,
  NativeConnection,
  WorkerOptions,
  WorkflowBundleOption,
} from '@temporalio/worker';
import type { Activities } from '../activities/create-activities.ts';
import type { InputActivities } from '../activities/inputs/input-activities.ts';
import type { RetentionActivities } from '../activities/prune-storage.ts';
import type { NotifyActivities } from '../activities/send-notification.ts';
import type { CompactActivities } from '../activities/summarise.ts';
import type { TurnSinks } from '../src/contracts/payload/turn-workflow-payloads.ts';
import type { WriteSessionActivities } from '../activities/write-session/write-session-activities.ts';

const MAX_HEARTBEAT_SILENCE_MS = 10_000;
const FORCE_AFTER_GRACE_MS = 8_000;

/** The settings in which worker processes differ. */
export interface WorkerSettings {
  readonly taskQueue: string;
  readonly namespace: string;
  readonly identity: string | undefined;
  readonly shutdownGraceMs: number;
  /** The number of workflows that stay cached; 0 replays every workflow from its start at each task. */
  readonly maxCachedWorkflows?: number;
}

/** A worker in a test need not have all of them; in production it has. */
export type WorkerActivities = Partial<
  Activities &
    InputActivities &
    WriteSessionActivities &
    RetentionActivities &
    NotifyActivities &
    CompactActivities
>;

/** Sinks of workers that build no prompts. */
const NO_SINKS: TurnSinks = { context: { begin: () => undefined } };

const sinksOf = ({ context }: TurnSinks): InjectedSinks<TurnSinks> => ({
  context: { begin: { fn: (_info, turn) => context.begin(turn) } },
});

/**
 * Options of a worker, as its measured limits want them (docs/decisions/admission.md,
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
  ...(settings.identity === undefined ? {} : { identity: settings.identity }),
  workflowBundle,
  activities,
  sinks: sinksOf(sinks),
  // A streaming activity holds its slot: fewer than the admitted turns would starve `closeTurn`.
  maxConcurrentActivityTaskExecutions: 400,
  maxConcurrentWorkflowTaskExecutions: 40,
  maxCachedWorkflows: settings.maxCachedWorkflows ?? 1_000,
  stickyQueueScheduleToStartTimeout: 1_000,
  maxHeartbeatThrottleInterval: MAX_HEARTBEAT_SILENCE_MS,
  shutdownGraceTime: settings.shutdownGraceMs,
  shutdownForceTime: settings.shutdownGraceMs + FORCE_AFTER_GRACE_MS,
  // A turn that cannot be replayed ends instead of blocking its conversation; the sweeper closes its row.
  workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
});

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { errorMessage } from '../contracts/values/error-message.ts';
import type { Log } from '../base/log.ts';
import { StartError } from '../base/errors/start-error.ts';
import { presenceKeyOf, openWorkerPresence, type WorkerPresence } from '../db/claims/worker-presence.ts';
import { createRunExclusive, type RunExclusive } from '../base/timing/run-exclusive.ts';
import { recoverInPasses } from '../temporal/recovery-passes.ts';
import { RecoverySchedule } from './recovery-schedule.ts';

/** Time in milliseconds between two snapshots, and between two tries to open a session. */
const POLL_MS = 250;
/** Time in milliseconds for which a worker that starts tries to open its session. */
const START_TIMEOUT_MS = 10_000;

/**
 * Matches identities that only this folder gives. Workers with other identities, of other versions or of `npm start`,
 * hold no session and are never judged.
 */
const OWN_IDENTITY = /^orion-worker@.+:[0-9a-f]{16}$/;

/** The workers of one task queue, and the database in which their sessions are found. */
export interface WorkerWatchDeps {
  readonly databaseUrl: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** The client that tells Temporal about lost workers. */
  readonly client: Client;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** The watch that this process keeps over the workers of a task queue. */
export interface WorkerWatch {
  /** Ends the watch. Resolves when this process has closed its session. */
  stop(): Promise<void>;
}

/** The watch of a worker, which is itself watched by the others. */
export interface WatchedWorker extends WorkerWatch {
  /** The identity under which this process polls. No other process has it. */
  readonly identity: string;
}

/**
 * Joins the workers of a task queue that no supervisor watches. Each has a session with Postgres, and one process
 * leads, a worker or a gateway. That process makes Temporal retry the work of lost workers at once, including that of
 * this worker's predecessor. Rejects with StartError if the database cannot be used.
 */
export const joinWorkers = async (workers: WorkerWatchDeps): Promise<WatchedWorker> => {
  const identity = newIdentity();
  const open = (): Promise<WorkerPresence> =>
    openWorkerPresence(workers.databaseUrl, scopeOf(workers), identity);
  const until = performance.now() + START_TIMEOUT_MS;
  const presence = await openWithRetries(open, () => performance.now() < until).catch((cause: unknown) => {
    throw new StartError(`DATABASE_URL: the database cannot be used: ${errorMessage(cause)}`, { cause });
  });
  workers.log.info({ identity }, 'watching the other workers of this task queue');
  return { identity, ...watchWith(workers, open, () => Promise.resolve(presence)) };
};

/**
 * Watches the workers of a task queue from a gateway. What a lost worker was doing is thus freed for the next worker
 * even while no worker is left. If the database is away, waits for it in the background.
 */
export const watchWorkers = (workers: WorkerWatchDeps): WorkerWatch => {
  const open = (): Promise<WorkerPresence> => openWorkerPresence(workers.databaseUrl, scopeOf(workers));
  return watchWith(workers, open, (mayContinue) => openWithRetries(open, mayContinue));
};

const newIdentity = (): string => `orion-worker@${hostname()}:${randomBytes(8).toString('hex')}`;

const scopeOf = ({ namespace, taskQueue }: WorkerWatchDeps): string => `${namespace} ${taskQueue}`;

/**
 * Opens a session. While that fails, tries again as long as `mayContinue` returns true, then rejects with the last
 * failure.
 */
const openWithRetries = async (
  open: () => Promise<WorkerPresence>,
  mayContinue: () => boolean,
): Promise<WorkerPresence> => {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!mayContinue()) throw error;
      await delay(POLL_MS);
    }
  }
};

/**
 * Runs a watch in the background. `openFirst` opens its first session, and gives up when its argument returns false.
 * `open` opens the later ones.
 */
const watchWith = (
  workers: WorkerWatchDeps,
  open: () => Promise<WorkerPresence>,
  openFirst: (mayContinue: () => boolean) => Promise<WorkerPresence>,
): WorkerWatch => {
  const closing = new AbortController();
  const { signal: closed } = closing;
  const watching = openFirst(() => !closed.aborted).then(
    (presence) => watchFrom(presence, { ...workers, open, passes: createPasses(), closed }),
    // The watch was ended before it had a session.
    () => undefined,
  );
  const stop = async (): Promise<void> => {
    closing.abort();
    await watching;
  };
  return { stop };
};

/** Runs passes over the work of lost workers, one after the other. */
interface Passes {
  readonly runExclusive: RunExclusive;
  isRunning(): boolean;
}

const createPasses = (): Passes => {
  const runOneAtATime = createRunExclusive();
  let isRunning = false;
  return {
    isRunning: () => isRunning,
    runExclusive: (run) =>
      runOneAtATime(async () => {
        isRunning = true;
        try {
          return await run();
        } finally {
          isRunning = false;
        }
      }),
  };
};

interface Watching extends WorkerWatchDeps {
  readonly open: () => Promise<WorkerPresence>;
  readonly passes: Passes;
  readonly closed: AbortSignal;
}

const watchFrom = async (first: WorkerPresence, watching: Watching): Promise<void> => {
  const { log, open, closed, passes } = watching;
  const schedule = new RecoverySchedule();
  let presence = first;
  // The first session counts as settled; see `RecoverySchedule.update`.
  let openedAt = Number.NEGATIVE_INFINITY;
  while (!closed.aborted) {
    try {
      // No snapshot during a pass: a gateway may give up the lead in it, and another process would then begin a pass,
      // too. The pass takes a snapshot of its own (`findLost`), and recovers nobody if the lead is lost.
      if (!passes.isRunning() && schedule.update(await presence.snapshot(), performance.now() - openedAt)) {
        recover(presence, watching);
      }
    } catch (error) {
      log.warn({ err: error }, 'the session by which workers are watched was lost');
      await presence.close();
      presence = await openWithRetries(open, () => !closed.aborted).catch(() => presence);
      openedAt = performance.now();
    }
    await delay(POLL_MS, undefined, { signal: closed }).catch(() => undefined);
  }
  await presence.close();
};

/** Reports to Temporal which workers have ended. The watch continues meanwhile. */
const recover = (presence: WorkerPresence, { client, taskQueue, passes, log, closed }: Watching): void => {
  const findLost = async (identities: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
    const ours = [...identities].filter((identity) => OWN_IDENTITY.test(identity));
    if (ours.length === 0) return new Set();
    const { isLeader, livingKeys } = await presence.snapshot();
    return new Set(isLeader ? ours.filter((identity) => !livingKeys.has(presenceKeyOf(identity))) : []);
  };
  void recoverInPasses({
    client,
    runExclusive: passes.runExclusive,
    workers: { taskQueue, findLost },
    closed,
    onRecovered: (activities) => log.info({ activities }, 'activities of lost workers are tried again'),
    onFailed: (error) => log.warn({ err: error }, 'Temporal could not be told of lost workers'),
  });
};

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

const POLL_MS = 250;
const START_TIMEOUT_MS = 10_000;

/**
 * Identities that only this room gives: workers of other releases and of `npm start`, which hold no session, are never
 * judged.
 */
const OWN_IDENTITY = /^orion-worker@.+:[0-9a-f]{16}$/;
const newIdentity = (): string => `orion-worker@${hostname()}:${randomBytes(8).toString('hex')}`;

/** The workers of one task queue, and where their sessions are found. */
export interface WatchedWorkers {
  readonly databaseUrl: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Tells Temporal of lost workers. */
  readonly client: Client;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** The watch that this process keeps over the workers of a task queue. */
export interface WorkerWatch {
  /** Ends the watch: this process looks for no worker from that time on. */
  stop(): Promise<void>;
}

/** The watch of a worker: the others watch this process, too. */
export interface WatchedWorker extends WorkerWatch {
  /** Identity to poll as, which only this process has. */
  readonly identity: string;
}

/** Opens a session, and tries until it has one; when it gives up it throws the last failure. */
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

const scopeOf = ({ namespace, taskQueue }: WatchedWorkers): string => `${namespace} ${taskQueue}`;

/**
 * Joins the workers of a task queue where no supervisor sees them die. Each holds a session with Postgres. The one
 * process that leads, a worker or a gateway, makes Temporal retry at once what a lost worker was doing, including this
 * worker's own predecessor. Throws StartError when the database cannot be used.
 */
export const joinWorkers = async (workers: WatchedWorkers): Promise<WatchedWorker> => {
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
 * Watches the workers of a task queue from another process: what a lost worker was doing is freed even while no worker
 * is left, for the next one. Waits for a database that is away.
 */
export const watchWorkers = (workers: WatchedWorkers): WorkerWatch => {
  const open = (): Promise<WorkerPresence> => openWorkerPresence(workers.databaseUrl, scopeOf(workers));
  return watchWith(workers, open, (goesOn) => openWithRetries(open, goesOn));
};

/** Runs a watch in the background; `first` opens its first session while it `goesOn`. */
const watchWith = (
  workers: WatchedWorkers,
  open: () => Promise<WorkerPresence>,
  openFirst: (goesOn: () => boolean) => Promise<WorkerPresence>,
): WorkerWatch => {
  const closing = new AbortController();
  const { signal: closed } = closing;
  const watching = openFirst(() => !closed.aborted).then(
    (presence) => watchFrom(presence, { ...workers, open, passes: createPasses(), closed }),
    // The watch ended before there was a session.
    () => undefined,
  );
  const stop = async (): Promise<void> => {
    closing.abort();
    await watching;
  };
  return { stop };
};

/** Passes over the work of lost workers, one after the other. */
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

interface Watching extends WatchedWorkers {
  readonly open: () => Promise<WorkerPresence>;
  readonly passes: Passes;
  readonly closed: AbortSignal;
}

const watchFrom = async (first: WorkerPresence, watching: Watching): Promise<void> => {
  const { log, open, closed, passes } = watching;
  const schedule = new RecoverySchedule();
  let presence = first;
  let openedAt = Number.NEGATIVE_INFINITY;
  while (!closed.aborted) {
    try {
      // A snapshot makes a process that only watches give up the lead: during a pass, another would begin one as well.
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

/** Reports workers that have ended to Temporal, beside the watch. */
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

import { setTimeout as delay } from 'node:timers/promises';
import {
  startChild,
  stopChild,
  type Child,
  type ChildExit,
  type ChildRegistry,
  type ChildSpec,
} from './child.ts';

/** First restart at once, for a killed worker must not cost a turn a second; then doubling up to the maximum. */
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
/** After this long alive a child has recovered, and its next end is a new story. */
const HEALTHY_MS = 10_000;

export interface ServiceOptions {
  /** Asked anew for every start: a worker gets a new identity each time. */
  readonly spec: () => ChildSpec;
  /** Resolves when the child serves; rejects when it cannot. */
  readonly ready: (child: Child) => Promise<void>;
  readonly registry: ChildRegistry;
  readonly graceMs: number;
  /** Called while the child runs, with a signal that its end aborts. */
  readonly watch?: (child: Child, ended: AbortSignal) => void;
  /** Called when it ended though nobody asked; runs beside the restart. */
  readonly onLost?: (spec: ChildSpec, exit: ChildExit) => void;
  readonly log: (line: string) => void;
}

/** One process that is kept running. */
export interface Service {
  /** Resolves when the first child is ready; rejects, with the end of its log, when it ends before. */
  start(): Promise<void>;
  /** Ends the child and all restarts; may be called at any time, and again. */
  stop(): Promise<void>;
}

const failed = (spec: ChildSpec, child: Child, reason: string): Error =>
  new Error(`${spec.role} did not start (${reason}). The end of ${spec.logFile}:\n${child.logTail()}`);

/** Keeps one process running: starts it, and again whenever it ends, until `stop`. */
export const createService = (options: ServiceOptions): Service => {
  const stopping = new AbortController();
  let current: { spec: ChildSpec; child: Child } | undefined;
  let running: Promise<void> = Promise.resolve();

  const launch = async (): Promise<{ spec: ChildSpec; child: Child }> => {
    stopping.signal.throwIfAborted();
    const spec = options.spec();
    const child = await startChild(spec, options.registry);
    current = { spec, child };
    // Stopped while the program was being started: `stop` did not see this child yet.
    if (stopping.signal.aborted) await stopChild(child, spec.stopSignal, options.graceMs);
    const early = child.exited.then(({ how }) => Promise.reject(failed(spec, child, how)));
    await Promise.race([options.ready(child), early]);
    return current;
  };

  const untilLost = async ({ spec, child }: { spec: ChildSpec; child: Child }): Promise<void> => {
    const ended = new AbortController();
    options.watch?.(child, ended.signal);
    const exit = await child.exited;
    ended.abort();
    if (stopping.signal.aborted) return;
    options.log(`${spec.role} (process ${child.pid}) ended: ${exit.how}; starting it again`);
    options.onLost?.(spec, exit);
  };

  const relaunch = async (): Promise<{ spec: ChildSpec; child: Child } | undefined> => {
    try {
      return await launch();
    } catch (error) {
      if (!stopping.signal.aborted) options.log(error instanceof Error ? error.message : String(error));
      if (current !== undefined) await stopChild(current.child, 'SIGKILL', 0);
      return undefined;
    }
  };

  const keepRunning = async (first: { spec: ChildSpec; child: Child }): Promise<void> => {
    let next: { spec: ChildSpec; child: Child } | undefined = first;
    let backoff = 0;
    while (!stopping.signal.aborted) {
      const since = performance.now();
      if (next !== undefined) await untilLost(next);
      if (performance.now() - since > HEALTHY_MS) backoff = 0;
      await delay(backoff, undefined, { signal: stopping.signal }).catch(() => undefined);
      backoff = Math.min(Math.max(backoff * 2, FIRST_BACKOFF_MS), MAX_BACKOFF_MS);
      next = stopping.signal.aborted ? undefined : await relaunch();
    }
  };

  return {
    async start() {
      running = keepRunning(await launch());
    },
    async stop() {
      stopping.abort(new Error('stopped'));
      if (current !== undefined) await stopChild(current.child, current.spec.stopSignal, options.graceMs);
      await running;
    },
  };
};

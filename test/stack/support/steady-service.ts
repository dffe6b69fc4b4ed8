import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildHandle, ChildExit, ChildRegistry } from '../../../src/stack/processes/child.ts';
import { watchForFreeze } from '../../../src/stack/children/freeze-watch.ts';
import { waitUntilReady } from '../../../src/stack/children/node-service.ts';
import { SupervisedService } from '../../../src/stack/children/service.ts';

const programs = fileURLToPath(new URL('.', import.meta.url));

export interface SteadyServiceOptions {
  readonly folder: string;
  readonly registry: ChildRegistry;
  /** The name of a program beside this file. */
  readonly child?: string;
  readonly graceMs?: number;
  readonly startingGraceMs?: number;
  /** Awaited after the child has said that it serves. */
  readonly isReady?: (child: ChildHandle) => Promise<void>;
  readonly readyTimeoutMs?: number;
  /** Called for every child that became ready. */
  readonly onStart?: (pid: number) => void;
  readonly onLost?: (exit: ChildExit) => void;
  readonly log?: (line: string) => void;
}

/** Returns a service over one of the small scripts, with pings as fast as a test wants them. */
export const steadyService = (options: SteadyServiceOptions): SupervisedService => {
  const { folder, registry, child = 'steady', log = () => undefined } = options;
  return new SupervisedService({
    spec: () => ({
      role: 'worker',
      command: process.execPath,
      args: [join(programs, `${child}.ts`), '4711'],
      env: { PATH: process.env['PATH'] },
      cwd: folder,
      logFile: join(folder, 'logs', `${child}.log`),
      stopSignal: 'SIGTERM',
      hasIpc: true,
    }),
    waitUntilReady: async (started: ChildHandle) => {
      await waitUntilReady(started, options.readyTimeoutMs ?? 100_000);
      await options.isReady?.(started);
      options.onStart?.(started.pid);
    },
    registry,
    graceMs: options.graceMs ?? 5000,
    ...(options.startingGraceMs !== undefined && { startingGraceMs: options.startingGraceMs }),
    watch: (started, ended) => watchForFreeze(started, ended, { intervalMs: 50, maxMissed: 20, log }),
    onLost: (_spec, exit) => options.onLost?.(exit),
    log,
  });
};

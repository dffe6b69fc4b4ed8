import { join } from 'node:path';
import { childMessageSchema } from '../../process/supervised.ts';
import type { ProcessRole } from '../processes/processes-file.ts';
import type { ChildHandle, ChildRegistry, ChildSpec } from '../processes/child.ts';
import { watchForFreeze } from './freeze-watch.ts';
import { SupervisedService, type ServiceOptions, READY_TIMEOUT_MS, STOP_GRACE_MS } from './service.ts';

/**
 * Waits for the message by which a child says that it serves. Resolves to the port that the message names, or to
 * undefined if it names none. Rejects after `timeoutMs`, or when the child ends before.
 */
export const waitUntilReady = (child: ChildHandle, timeoutMs: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      child.process.off('message', onMessage);
      finish();
    };
    const onMessage = (message: unknown): void => {
      const parsed = childMessageSchema.safeParse(message);
      if (parsed.success && 'ready' in parsed.data) {
        const { port } = parsed.data;
        settle(() => resolve(port));
      }
    };
    const onTimeout = (): void => settle(() => reject(new Error(`not ready after ${timeoutMs} ms`)));
    const timer = setTimeout(onTimeout, timeoutMs);
    child.process.on('message', onMessage);
    void child.exited.then(({ how }) => settle(() => reject(new Error(`ended before it was ready: ${how}`))));
  });

/**
 * Milliseconds between two pings. `MAX_MISSED_PINGS` missed pings are 5 s, far more than a healthy event loop pauses
 * even on a loaded machine.
 */
const PING_INTERVAL_MS = 500;
const MAX_MISSED_PINGS = 10;

export interface NodeServiceOptions {
  readonly role: ProcessRole;
  /** Name of the log file without its ending. It differs between processes of the same role. */
  readonly name: string;
  readonly root: string;
  readonly dataDir: string;
  /** Entry file, relative to the checkout, and its arguments. */
  readonly entry: readonly [file: string, ...args: string[]];
  readonly env: () => NodeJS.ProcessEnv;
  readonly port?: number;
  readonly registry: ChildRegistry;
  readonly log: (line: string) => void;
  /** Milliseconds between the signal that asks the process to end and SIGKILL. Absent means `STOP_GRACE_MS`. */
  readonly graceMs?: number;
  readonly onLost?: NonNullable<ServiceOptions['onLost']>;
  /** Called at every start with the port that the process listens on, if it named one. */
  readonly onReady?: (port: number | undefined) => void;
}

/** Creates the service that keeps one of Orion's own processes running. The process itself says when it is ready. */
export const createNodeService = (options: NodeServiceOptions): SupervisedService => {
  const { log, registry, role } = options;
  const waitForPort = async (child: ChildHandle): Promise<void> => {
    const port = await waitUntilReady(child, READY_TIMEOUT_MS);
    if (port !== undefined) registry.processes.add({ role, pid: child.pid, port });
    options.onReady?.(port);
  };
  return new SupervisedService({
    spec: () => specOf(options),
    waitUntilReady: waitForPort,
    registry,
    graceMs: options.graceMs ?? STOP_GRACE_MS,
    watch: (child, ended) =>
      watchForFreeze(child, ended, { intervalMs: PING_INTERVAL_MS, maxMissed: MAX_MISSED_PINGS, log }),
    ...(options.onLost && { onLost: options.onLost }),
    log,
  });
};

const specOf = (options: NodeServiceOptions): ChildSpec => {
  const [file, ...args] = options.entry;
  return {
    role: options.role,
    command: process.execPath,
    args: ['--enable-source-maps', join(options.root, file), ...args],
    env: options.env(),
    // The folder in which this process was started, because paths in settings are relative to it.
    cwd: process.cwd(),
    logFile: join(options.dataDir, 'logs', `${options.name}.log`),
    stopSignal: 'SIGTERM',
    hasIpc: true,
    ...(options.port !== undefined && options.port !== 0 && { port: options.port }),
  };
};

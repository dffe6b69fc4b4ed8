import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  startChild,
  stopChild,
  type ChildHandle,
  type ChildRegistry,
  type ChildSpec,
} from '../../src/stack/processes/child.ts';
import { waitUntilReady } from '../../src/stack/children/node-service.ts';
import { createProcessesFile } from '../../src/stack/processes/processes-file.ts';
import { openReapList } from '../../src/stack/processes/reap-list.ts';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const READY_TIMEOUT_MS = 60_000;
/** The stack stops its own processes first, which may take 10 s. */
const STOP_GRACE_MS = 15_000;

export interface NodeProgram {
  readonly name: string;
  readonly role: ChildSpec['role'];
  /** The path of the program, relative to the checkout. */
  readonly entry: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts everything that the benchmark needs, each program in a process of its own, so that no arm shares an event loop
 * with another or with the measuring client. The reaper of `src/stack` ends them if the benchmark itself is killed.
 */
export class BenchProcesses {
  /** The folder of this run, which is removed when it ends. */
  readonly dir: string;
  readonly #registry: ChildRegistry;
  readonly #running: { child: ChildHandle; spec: ChildSpec }[] = [];
  #stopped: Promise<void> | undefined;

  private constructor(dir: string, registry: ChildRegistry) {
    this.dir = dir;
    this.#registry = registry;
  }

  static async open(): Promise<BenchProcesses> {
    const dir = mkdtempSync(join(tmpdir(), 'orion-bench-'));
    // Postgres may run under another account, which needs access to its folder.
    chmodSync(dir, 0o711);
    const reapList = await openReapList(join(dir, 'processes.reap'));
    return new BenchProcesses(dir, { reapList, processes: createProcessesFile(dir) });
  }

  async start(spec: ChildSpec): Promise<ChildHandle> {
    if (this.#stopped) throw new Error('the benchmark is stopping');
    const child = await startChild(spec, this.#registry);
    this.#running.push({ child, spec });
    return child;
  }

  /**
   * Returns the processes of this run by the names of their logs; the processes of a stack are listed in its
   * `processes.json`.
   */
  pids(): Map<string, number> {
    return new Map(this.#running.map(({ child, spec }) => [basename(spec.logFile, '.log'), child.pid]));
  }

  nodeSpec({ name, role, entry, args = [], env = {} }: NodeProgram, ipc: boolean): ChildSpec {
    return {
      role,
      command: process.execPath,
      args: [join(root, entry), ...args],
      // Neither variables nor a `.env` of the person who measures may affect the figures.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      cwd: this.dir,
      logFile: join(this.dir, 'logs', `${name}.log`),
      stopSignal: 'SIGTERM',
      hasIpc: ipc,
    };
  }

  /** Starts a program that reports its port by IPC; resolves to the port, or rejects with the end of its log. */
  async serve(program: NodeProgram): Promise<number> {
    const child = await this.start(this.nodeSpec(program, true));
    try {
      return (await waitUntilReady(child, READY_TIMEOUT_MS)) ?? 0;
    } catch (error) {
      throw new Error(`${program.name}: ${String(error)}\n${child.logTail()}`, { cause: error });
    }
  }

  /** Stops all processes, the last started first, because it may need the earlier ones. It may be called again. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    for (const { child, spec } of this.#running.toReversed()) {
      await stopChild(child, spec.stopSignal, STOP_GRACE_MS);
    }
    this.#registry.reapList.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createEmptyDatabase } from '../../support/test-database.ts';
import { logLine } from '../../support/test-log.ts';
import { temporalAddress, workflowBundle } from '../../support/turn-worker.ts';

/** A gateway or worker that no supervisor started. */
export interface LooseProcess {
  readonly child: ChildProcess;
  /** The port of a gateway; undefined for a worker. */
  readonly port: number | undefined;
}

/** Gateways and workers without a supervisor, on a task queue and a database of their own. */
export class LooseProcesses {
  /** The workers by the identity under which they poll. */
  readonly byIdentity = new Map<string, ChildProcess>();
  readonly #running = new Set<ChildProcess>();
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'orion-loose-'));
  readonly #database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(
    database: Awaited<ReturnType<typeof createEmptyDatabase>>,
    env: Readonly<Record<string, string>>,
  ) {
    this.#database = database;
    this.#env = env;
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<LooseProcesses> {
    return new LooseProcesses(await createEmptyDatabase(), env);
  }

  /**
   * Starts a process; resolves once it serves. `port` is that of a gateway, which takes any free one by default; `env`
   * is for only this process.
   */
  async start(entry: string, port = 0, env: Readonly<Record<string, string>> = {}): Promise<LooseProcess> {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`../../../${entry}`, import.meta.url))], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ORION_DATA_DIR: this.#dataDir,
        ORION_PORT: String(port),
        ORION_INTERNAL_TOKEN: 't'.repeat(32),
        ORION_TASK_QUEUE: `loose-${this.#database.url.split('_').at(-1)}`,
        ORION_WORKFLOW_BUNDLE: workflowBundle(),
        DATABASE_URL: this.#database.url,
        TEMPORAL_ADDRESS: temporalAddress(),
        RATE_LIMIT_TURNS_PER_MINUTE: '0',
        ...this.#env,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      logLine(line);
      const identity = /"identity":"(orion-worker@[^"]+)"/.exec(line)?.[1];
      if (identity !== undefined) this.byIdentity.set(identity, child);
    });
    return { child, port: await readyPort(entry, child) };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map(kill));
    await this.#database.drop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

/** Resolves to the port that the child reports when it serves. */
const readyPort = async (entry: string, child: ChildProcess): Promise<number | undefined> => {
  const exited = new AbortController();
  child.once('exit', () => exited.abort());
  for await (const [message] of on(child, 'message', { signal: exited.signal }) as AsyncIterable<
    [{ ready?: true; port?: number }]
  >) {
    if (message.ready) return message.port;
  }
  throw new Error(`${entry} ended`);
};

/** Kills a process with SIGKILL; resolves when it has ended. */
export const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};

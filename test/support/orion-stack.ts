import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { drawFreePort } from './free-port.ts';
import { createEmptyDatabase } from './test-database.ts';
import { logLine } from './test-log.ts';
import { temporalAddress, workflowBundle } from './turn-worker.ts';
import { ROOT } from './root.ts';

interface ProcessEntry {
  readonly role: string;
  readonly pid: number;
  readonly port?: number;
}

/** Returns the environment in which the product runs, without the variables of the tests. */
const productEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ORION_TEST_')));

/**
 * Copies the workflow bundle of this test run to where a stack in `dataDir` looks for a bundle of its sources, because
 * building one takes half the time of a start.
 */
export const placeWorkflowBundle = async (dataDir: string): Promise<void> => {
  const folder = join(dataDir, 'workflow-bundle');
  const target = join(folder, basename(workflowBundle()));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await copyFile(workflowBundle(), target);
  await chmod(target, 0o600);
};

/**
 * The product as `npm start` runs it: supervisor, gateway and workers as processes of their own, over the test
 * run's Temporal and a database of its own.
 */
export class OrionStack {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  #child: ChildProcess;
  readonly #startChild: () => ChildProcess;
  readonly #output: string[];
  readonly #dropDatabase: () => Promise<void>;
  #stopped: Promise<void> | undefined;

  private constructor(parts: {
    baseUrl: string;
    dataDir: string;
    databaseUrl: string;
    child: ChildProcess;
    startChild: () => ChildProcess;
    output: string[];
    dropDatabase: () => Promise<void>;
  }) {
    this.baseUrl = parts.baseUrl;
    this.dataDir = parts.dataDir;
    this.databaseUrl = parts.databaseUrl;
    this.#child = parts.child;
    this.#startChild = parts.startChild;
    this.#output = parts.output;
    this.#dropDatabase = parts.dropDatabase;
  }

  /**
   * Starts the sources in `root`. `env` adds to the settings of a test stack, or overrides them. Resolves once the
   * stack prints that it is ready. Rejects with everything it has printed if it ends before that.
   */
  static async start(env: Readonly<Record<string, string>>, root = ROOT): Promise<OrionStack> {
    const dataDir = await mkdtemp(join(tmpdir(), 'orion-test-'));
    await placeWorkflowBundle(dataDir);
    const database = await createEmptyDatabase();
    const port = await drawFreePort();
    const settings = {
      ...productEnvironment(),
      NODE_OPTIONS: '',
      ORION_DATA_DIR: dataDir,
      ORION_PORT: String(port),
      ORION_WORKERS: '1',
      ORION_TASK_QUEUE: `test-${port}-${Date.now()}`,
      TEMPORAL_ADDRESS: temporalAddress(),
      DATABASE_URL: database.url,
      RATE_LIMIT_TURNS_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
      ...env,
    };
    const startChild = (): ChildProcess =>
      spawn(process.execPath, [join(root, 'src/stack/main.ts')], {
        env: settings,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const child = startChild();
    const output: string[] = [];
    await readyLine(child, output);
    const baseUrl = `http://127.0.0.1:${port}`;
    return new OrionStack({
      baseUrl,
      dataDir,
      databaseUrl: database.url,
      child,
      startChild,
      output,
      dropDatabase: database.drop,
    });
  }

  /** Resolves to the processes that the supervisor says it runs. */
  async processes(): Promise<ProcessEntry[]> {
    return JSON.parse(await readFile(join(this.dataDir, 'processes.json'), 'utf8')) as ProcessEntry[];
  }

  async pidsOf(role: string): Promise<number[]> {
    return (await this.processes()).filter((entry) => entry.role === role).map(({ pid }) => pid);
  }

  /** Kills all processes of a role with `kill -9`. */
  async kill(role: string): Promise<void> {
    for (const pid of await this.pidsOf(role)) process.kill(pid, 'SIGKILL');
  }

  get output(): string {
    return this.#output.join('\n');
  }

  /** Ends the stack and starts it again, as Ctrl-C and the same command would: every process is a new one. */
  async restart(): Promise<void> {
    await this.#end();
    this.#child = this.#startChild();
    await readyLine(this.#child, this.#output);
  }

  /** Stops the stack; may be called several times. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }

  async #stop(): Promise<void> {
    await this.#end();
    await this.#dropDatabase();
    // A stack that root started keeps its database where another account can reach it.
    const outside = await readlink(join(this.dataDir, 'postgres-place')).catch(() => undefined);
    for (const folder of [this.dataDir, outside]) {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    }
  }
}

const readyLine = (child: ChildProcess, output: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line);
        logLine(`stack ${child.pid} ${line}`);
        if (line.includes('Orion is ready')) resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`the stack ended with ${code}:\n${output.join('\n')}`)));
  });

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { drawFreePort } from './free-port.ts';
import { logLine } from './test-log.ts';

/** A `redis-server` of this machine (`apt-get install redis-server`) that keeps nothing on disk. */
export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, folder: string, settings: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = folder;
    this.#settings = settings;
  }

  /** `settings` are further arguments, named as in a configuration file: `--maxmemory`, `8mb`. */
  static async start(...settings: readonly string[]): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'orion-redis-'));
    const server = new RedisServer(await drawFreePort(), folder, settings);
    await server.restart();
    return server;
  }

  /**
   * Starts the server again, empty and on the same port. Where none is installed, throws an error that says how to get
   * one.
   */
  async restart(): Promise<void> {
    const fixedArguments = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const child = spawn(
      'redis-server',
      [...fixedArguments, '--save', '', '--appendonly', 'no', ...this.#settings],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      child.once('error', (cause) => {
        reject(new Error('this test needs a Redis server: apt-get install redis-server', { cause }));
      });
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
      lines.on('line', (line) => {
        logLine(`redis ${child.pid} ${line}`);
        if (line.includes('Ready to accept connections')) resolve();
      });
    });
  }

  /** Stops the process, so that it answers nobody until `thaw`. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Kills the process with `kill -9`. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../src/cli/bin.mjs', import.meta.url));

export interface CliRunOptions {
  /** The address of the gateway; undefined when nothing names one. */
  readonly url: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Text that is written to stdin, which is then closed; absent for an empty stdin. */
  readonly input?: string;
  /** When set, stdin stays open and nothing is written to it yet. */
  readonly keepsInputOpen?: boolean;
  /** When set, the command runs on a terminal of its own, where stdout and stderr are one. */
  readonly hasTerminal?: boolean;
  /** The Node that runs the launcher (default: the one that runs the tests). */
  readonly node?: string;
  /** The folder in which the command is typed (default: that of the tests). */
  readonly cwd?: string;
}

/** Creates a state directory that several runs of the command share. */
export const createStateDir = () => {
  const path = mkdtempSync(join(tmpdir(), 'orion-cli-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

/** One run of the `orion` command as a process of its own. */
export class OrionCli {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<number | string>;
  readonly #waiters = new Set<() => void>();

  constructor(
    args: readonly string[],
    { url, env = {}, input = '', keepsInputOpen, hasTerminal, node, cwd }: CliRunOptions,
  ) {
    const command = [node ?? process.execPath, bin, ...args];
    // `script` gives the command a pseudo-terminal and hands its exit code on.
    const [file = '', ...rest] = hasTerminal
      ? ['script', '-qfec', command.map((word) => `'${word}'`).join(' '), '/dev/null']
      : command;
    const own = {
      NODE_OPTIONS: '',
      NO_COLOR: '',
      ...(url !== undefined && { ORION_URL: url }),
      TERM: 'xterm',
      COLUMNS: '100',
      LINES: '30',
    };
    this.child = spawn(file, rest, { cwd, env: { ...process.env, ...own, ...env } });
    this.child.stdout?.on('data', (data: Buffer) => this.#take('stdout', data));
    this.child.stderr?.on('data', (data: Buffer) => this.#take('stderr', data));
    this.child.stdin?.on('error', () => undefined);
    if (hasTerminal !== true && keepsInputOpen !== true) this.child.stdin?.end(input);
    this.ended = once(this.child, 'close').then(([code, signal]: (number | string | null)[]) => {
      this.#wake();
      return code ?? signal ?? 'nothing';
    });
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  /**
   * Resolves once the stream `from` has shown `text` after the text that the previous call for that stream found.
   * Rejects when the process ends without it.
   */
  async shows(text: string, from: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    let hasEnded = false;
    const end = this.ended.finally(() => (hasEnded = true));
    for (;;) {
      const at = this[from].indexOf(text, this.#seen[from]);
      if (at >= 0) {
        this.#seen[from] = at + text.length;
        return;
      }
      if (hasEnded) {
        throw new Error(`${JSON.stringify(text)} never came; ${from}:\n${this[from]}\n${this.stderr}`);
      }
      await Promise.race([end, new Promise<void>((resolve) => this.#waiters.add(resolve))]);
    }
  }

  readonly #seen = { stdout: 0, stderr: 0 };

  #take(stream: 'stdout' | 'stderr', data: Buffer): void {
    this[stream] += data.toString('utf8');
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }
}

/** Runs the command to its end. */
export const runOrion = async (args: readonly string[], options: CliRunOptions) => {
  const cli = new OrionCli(args, options);
  const code = await cli.ended;
  return { code, stdout: cli.stdout, stderr: cli.stderr };
};

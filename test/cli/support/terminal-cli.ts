import { spawn, type IPty } from '@lydell/node-pty';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestTerminal } from './test-terminal.ts';

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

export interface TerminalCliOptions {
  readonly url: string;
  readonly columns?: number;
  readonly rows?: number;
  /** A directory that several runs share, for their history. */
  readonly stateDir?: string;
  readonly args?: readonly string[];
  /** The shell script that runs on the same terminal after the command; without it there is no shell. */
  readonly afterwards?: string;
}

/** Runs the `orion` command in a real pseudo-terminal, seen through a terminal emulator. */
export class TerminalCli {
  readonly terminal: TestTerminal;
  readonly ended: Promise<number>;
  readonly pid: number;
  readonly #pty: IPty;
  readonly #stateDir: string;
  readonly #ownsState: boolean;
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor({ url, columns = 80, rows = 24, stateDir, args = [], afterwards }: TerminalCliOptions) {
    this.#ownsState = stateDir === undefined;
    this.#stateDir = stateDir ?? mkdtempSync(join(tmpdir(), 'orion-terminal-'));
    this.terminal = new TestTerminal(columns, rows);
    const own = { ORION_URL: url, XDG_STATE_HOME: this.#stateDir, NODE_OPTIONS: '', RETRY_DELAY_MS: '10' };
    const command = [process.execPath, main, ...args];
    const [file = '', ...rest] =
      afterwards === undefined ? command : ['sh', '-c', `trap : INT; "$0" "$@"; ${afterwards}`, ...command];
    this.#pty = spawn(file, rest, {
      cols: columns,
      rows,
      name: 'xterm-256color',
      env: { ...process.env, ...own },
    });
    this.pid = this.#pty.pid;
    this.#pty.onData((data) => {
      this.terminal.receive(data);
      this.#wake();
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#isOver = true;
        this.#wake();
        resolve(exitCode);
      });
    });
  }

  /** Types keys, as a terminal sends them. */
  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Pastes a text, as a terminal does for a program that has asked for bracketed paste. */
  paste(text: string): void {
    this.type(`\u001B[200~${text.replaceAll('\n', '\r')}\u001B[201~`);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Resolves once the screen is as wanted; rejects when the command has ended and it is not. */
  async until(isWanted: (screen: string) => boolean, wanted: string): Promise<string> {
    for (;;) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      const screen = await this.terminal.text();
      if (isWanted(screen)) return screen;
      if (this.#isOver) throw new Error(`${wanted} never came; the screen:\n${screen}`);
      await woken;
    }
  }

  /** Resolves once the screen contains `text`, with rows joined where the terminal or Orion wrapped them. */
  shows(text: string): Promise<string> {
    return this.until((screen) => screen.includes(text), JSON.stringify(text));
  }

  /** Resolves once the last row is `row`. */
  async prompts(row: string): Promise<string> {
    const isLast = (screen: string): boolean => screen.split('\n').at(-1)?.trimEnd() === row.trimEnd();
    return this.until(isLast, `last row ${JSON.stringify(row)}`);
  }

  /** Ends the command if it still runs. */
  async stop(): Promise<void> {
    if (!this.#isOver) this.#pty.kill('SIGKILL');
    await this.ended;
    if (this.#ownsState) rmSync(this.#stateDir, { recursive: true, force: true });
  }
}

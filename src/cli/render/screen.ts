import { stripVTControlCharacters } from 'node:util';
import type { Colors } from './colors.ts';

/** The part of a writable stream that the command needs. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** A pseudo-terminal may have no size, which shows as 0. */
export const sizeOf = ({ columns, rows }: Output): { columns: number; rows: number } => ({
  columns: columns || 80,
  rows: rows || 24,
});

export interface ScreenOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly colors: Colors;
  /** Calls `run` every so many milliseconds until the returned function is called. */
  readonly every: (ms: number, run: () => void) => () => void;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPIN_MS = 100;
const CLEAR_LINE = '\r\u001B[2K';

/**
 * The two outputs of the command, which are usually one terminal: the answer goes to stdout, all talk to stderr
 * (write-sessions.md "CLI"). The status line is drawn on a terminal only and gives way to everything else.
 */
export class Screen {
  readonly #options: ScreenOptions;
  #atLineStart = true;
  #status: { text: string; stop: () => void } | undefined;
  #beforeTalk: () => void = () => undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  get stdout(): Output {
    return this.#options.stdout;
  }

  get colors(): Colors {
    return this.#options.colors;
  }

  /** Calls `run` before talk comes between two parts of the answer; the newest caller alone. */
  beforeTalk(run: () => void): void {
    this.#beforeTalk = run;
  }

  /** Writes a part of the answer as it is. */
  answer(text: string): void {
    if (text === '') return;
    this.clearStatus();
    this.#options.stdout.write(text);
    this.#atLineStart = text.endsWith('\n');
  }

  /** Writes a line of talk on a line of its own. */
  say(line: string): void {
    this.clearStatus();
    this.#beforeTalk();
    this.#breakLine();
    this.#options.stderr.write(`${line}\n`);
  }

  /** As `say`, in the background of attention. */
  mention(line: string): void {
    this.say(this.colors.dim(line));
  }

  /** Shows what is going on until something else is written; nothing where stderr is no terminal. */
  status(text: string): void {
    if (this.#options.stderr.isTTY !== true) return;
    this.clearStatus();
    this.#beforeTalk();
    this.#breakLine();
    let turn = 0;
    const draw = (): void => {
      const frame = SPINNER[turn++ % SPINNER.length];
      this.#options.stderr.write(`${CLEAR_LINE}${this.colors.dim(`${frame} ${this.#fitted(text)}`)}`);
    };
    draw();
    this.#status = { text, stop: this.#options.every(SPIN_MS, draw) };
  }

  clearStatus(): void {
    if (!this.#status) return;
    this.#status.stop();
    this.#status = undefined;
    this.#options.stderr.write(CLEAR_LINE);
  }

  /** Ends an unfinished line of the answer where both outputs share the terminal. */
  #breakLine(): void {
    const { stdout, stderr } = this.#options;
    if (this.#atLineStart || stdout.isTTY !== true || stderr.isTTY !== true) return;
    stderr.write('\n');
    this.#atLineStart = true;
  }

  /** A status that wraps could not be cleared. */
  #fitted(text: string): string {
    return stripVTControlCharacters(text).slice(0, Math.max(10, sizeOf(this.#options.stderr).columns - 4));
  }
}

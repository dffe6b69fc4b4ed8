import type { Unicode11Addon } from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import { createRequire } from 'node:module';
import { createColors, type Colors } from '../../../src/cli/render/colors.ts';
import type { OutputStream } from '../../../src/cli/render/output.ts';
import { Screen } from '../../../src/cli/render/screen.ts';

/**
 * The add-on is loaded with `require`, because Node ignores the field `module` in which its package names the ES
 * module.
 */
const unicode11 = createRequire(import.meta.url)('@xterm/addon-unicode11') as {
  Unicode11Addon: new () => Unicode11Addon;
};

/** A terminal emulator (that of VS Code, without a window), which shows what the command's output looks like. */
export class TestTerminal {
  readonly #xterm: xterm.Terminal;
  /** Everything that was written, unchanged. */
  written = '';

  constructor(columns: number, rows: number) {
    this.#xterm = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
    this.#xterm.loadAddon(new unicode11.Unicode11Addon());
    this.#xterm.unicode.activeVersion = '11';
  }

  get columns(): number {
    return this.#xterm.cols;
  }

  /**
   * Writes text as the terminal of the kernel does, which also returns the cursor to the first column on a line feed.
   */
  write(text: string): void {
    this.written += text;
    this.#xterm.write(text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'));
  }

  /** Takes the output of a real pseudo-terminal. */
  receive(text: string): void {
    this.written += text;
    this.#xterm.write(text);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#read();
    this.#xterm.resize(columns, rows);
  }

  /** Waits for the emulator, which processes what is written to it a little later. */
  async #read(): Promise<void> {
    await new Promise<void>((resolve) => this.#xterm.write('', resolve));
  }

  /** Returns the rows from the first to the last that is not empty, including those that have scrolled away. */
  async rows(): Promise<string[]> {
    await this.#read();
    const { active } = this.#xterm.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, i) => active.getLine(i)?.translateToString(true) ?? '',
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  }

  async text(): Promise<string> {
    return (await this.rows()).join('\n');
  }

  /** Returns the position of the cursor, counted from the first row that was written. */
  async cursor(): Promise<{ row: number; column: number }> {
    await this.#read();
    const { active } = this.#xterm.buffer;
    return { row: active.baseY + active.cursorY, column: active.cursorX };
  }

  output(): OutputStream {
    const terminal = this.#xterm;
    return {
      isTTY: true,
      get columns() {
        return terminal.cols;
      },
      get rows() {
        return terminal.rows;
      },
      write: (text) => this.write(text),
    };
  }

  /** Returns a screen both of whose outputs go to this terminal. */
  screen(colors: Colors = createColors(false)): Screen {
    return new Screen({ stdout: this.output(), stderr: this.output(), colors, every: () => () => undefined });
  }
}

import type { CommandStream, ToolOutput } from '../../contracts/wire/tool-output.ts';

/**
 * Number of lines that are printed as they come. After them, only the newest line is shown until the command has ended.
 */
const HEAD_LINES = 12;
const TAIL_LINES = 8;
const LINE_CHARACTERS = 300;

/**
 * The output of one command as a person follows it. Its beginning is printed at once, then only the newest line is
 * shown, and at the end the number of lines left out and the last lines are printed. Only what may still be shown is
 * kept.
 */
export class OutputLines {
  readonly #unfinished: Record<CommandStream, string> = { stdout: '', stderr: '' };
  #printed = 0;
  #leftOut = 0;
  #tail: string[] = [];

  /** The newest line that is not printed. Empty if there is none. */
  get newest(): string {
    return this.#tail.at(-1) ?? '';
  }

  /** Adds output. Returns the lines to print now. */
  push({ stream, content }: Pick<ToolOutput, 'stream' | 'content'>): readonly string[] {
    const lines = (this.#unfinished[stream] + content).split('\n');
    // One character more than is shown tells that the line was cut.
    this.#unfinished[stream] = (lines.pop() ?? '').slice(0, LINE_CHARACTERS + 1);
    return this.#add(lines);
  }

  /** Returns the lines to print at the end of the command. */
  end(): readonly string[] {
    const unfinished = Object.values(this.#unfinished).filter((line) => line !== '');
    const head = this.#add(unfinished);
    const gap = this.#leftOut === 0 ? [] : [`… ${this.#leftOut} lines left out`];
    return [...head, ...gap, ...this.#tail];
  }

  #add(lines: readonly string[]): readonly string[] {
    const cutLines = lines.map((line) =>
      line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS).toWellFormed()}…` : line,
    );
    const head = cutLines.slice(0, HEAD_LINES - this.#printed);
    this.#printed += head.length;
    const tail = [...this.#tail, ...cutLines.slice(head.length)];
    this.#leftOut += Math.max(0, tail.length - TAIL_LINES);
    this.#tail = tail.slice(-TAIL_LINES);
    return head;
  }
}

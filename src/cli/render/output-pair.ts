import type { OutputStream } from './output.ts';
import type { TrackedOutput } from './tracked-output.ts';

/** The two outputs of the command: stdout, which gets the answer, and stderr, which gets messages. */
export class OutputPair {
  readonly answer: TrackedOutput;
  readonly stderr: OutputStream;
  readonly #sharesOneFile: boolean;

  /** `sharesOneFile` is true when both outputs are the same file or pipe (`2>&1`). */
  constructor(answer: TrackedOutput, stderr: OutputStream, sharesOneFile: boolean) {
    this.answer = answer;
    this.stderr = stderr;
    this.#sharesOneFile = sharesOneFile;
  }

  /** True when both outputs are terminals, which are then taken to be the same one. */
  get isOneTerminal(): boolean {
    return this.answer.isTerminal && this.stderr.isTTY === true;
  }

  /** Ends an unfinished line of the answer, if both outputs share the terminal, a file or a pipe. */
  breakLine(): void {
    if (this.#sharesOneFile && this.answer.hasOpenLine) {
      this.stderr.write('\n');
      this.answer.closeLine();
    }
    if (!this.isOneTerminal || this.answer.end.column === 0) return;
    this.stderr.write('\n');
    this.answer.follow('\n');
  }

  /** Writes whole lines to stderr. On a shared terminal, text before them can no longer be erased. */
  writeMessage(lines: string): void {
    this.stderr.write(lines);
    if (!this.isOneTerminal) return;
    this.answer.follow(lines);
    this.answer.invalidateMarks();
  }
}

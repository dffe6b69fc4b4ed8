import type { AnswerWriter } from './answer-writer.ts';
import { PrintedText } from './printed-text.ts';
import type { Screen } from './screen.ts';

const RESTARTED = 'The model call begins again: stdout has the answer again from there, after a line break.';

/**
 * Writes the answer to a pipe whose reader wants every word at once (`--stream`). What was written cannot be taken
 * back, so a withdrawn text stays there, and stderr says so.
 */
export class StreamedAnswer implements AnswerWriter {
  readonly #screen: Screen;
  readonly #printed = new PrintedText();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  write(chunk: string): void {
    const change = this.#printed.push(chunk);
    if (change.kind === 'restart') {
      this.#screen.report(RESTARTED);
      this.#screen.write('\n');
    }
    this.#screen.write(change.text);
  }

  withdraw(keptLength: number): void {
    this.#printed.withdraw(keptLength);
  }

  settle(): void {
    // Everything has been written already.
  }

  setVerbatim(): void {
    // A pipe gets text as it is in any case.
  }

  end(): void {
    if (this.#printed.withdrawnLength > 0) {
      this.#screen.report(`The last ${this.#printed.withdrawnLength} characters on stdout were withdrawn.`);
    }
    if (this.#screen.hasOpenLine) this.#screen.write('\n');
  }
}

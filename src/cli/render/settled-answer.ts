import type { AnswerWriter } from './answer-writer.ts';
import { PrintedText } from './printed-text.ts';
import type { Screen } from './screen.ts';

const RESTARTED = 'The answer so far was withdrawn; stdout has it again in full after a line break.';

/**
 * The answer for a pipe or a file. Only text that no model call can withdraw any longer is written, since nothing there
 * can be taken back. The output is the answer with a final line break, unless an outside close takes back settled text.
 */
export class SettledAnswer implements AnswerWriter {
  readonly #screen: Screen;
  readonly #printed = new PrintedText();
  #unsettled = '';
  /** Length of the text that has settled. */
  #settledLength = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  write(chunk: string): void {
    this.#unsettled += chunk;
  }

  withdraw(keptLength: number): void {
    this.#unsettled = this.#unsettled.slice(0, Math.max(0, keptLength - this.#settledLength));
    if (keptLength >= this.#settledLength) return;
    // Only an outside close takes back more than the last step.
    this.#printed.withdraw(keptLength);
    this.#settledLength = keptLength;
  }

  settle(): void {
    if (this.#unsettled === '') return;
    const change = this.#printed.push(this.#unsettled);
    if (change.kind === 'restart') {
      this.#screen.report(RESTARTED);
      this.#screen.write('\n');
    }
    this.#screen.write(change.text);
    this.#settledLength += this.#unsettled.length;
    this.#unsettled = '';
  }

  setVerbatim(): void {
    // Every byte is written as it is anyway.
  }

  end(): void {
    this.settle();
    if (this.#screen.hasOpenLine) this.#screen.write('\n');
  }
}

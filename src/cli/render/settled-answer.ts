import type { AnswerWriter } from './live-answer.ts';
import { PrintedText } from './printed-text.ts';
import type { Screen } from './screen.ts';

const RESTARTED = 'The answer so far was withdrawn; stdout has it again in full after a line break.';

/**
 * The answer for a pipe or a file: only text that no reset can withdraw any longer is written, since nothing there can
 * be taken back. The output is exactly the answer, with a final line break.
 */
export class SettledAnswer implements AnswerWriter {
  readonly #screen: Screen;
  readonly #printed = new PrintedText();
  #waiting = '';
  /** Length of the text that has settled. */
  #settled = 0;
  #endsLine = true;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  text(chunk: string): void {
    this.#waiting += chunk;
  }

  withdraw(kept: number): void {
    this.#waiting = this.#waiting.slice(0, Math.max(0, kept - this.#settled));
    if (kept >= this.#settled) return;
    // Only a turn that was closed from outside takes back more than its last step.
    this.#printed.withdraw(kept);
    this.#settled = kept;
  }

  settle(): void {
    if (this.#waiting === '') return;
    const writing = this.#printed.take(this.#waiting);
    if (writing.kind === 'restart') {
      this.#screen.say(RESTARTED);
      this.#screen.answer('\n');
    }
    this.#screen.answer(writing.text);
    if (writing.text !== '') this.#endsLine = writing.text.endsWith('\n');
    this.#settled += this.#waiting.length;
    this.#waiting = '';
  }

  setVerbatim(): void {
    // Every byte is written as it is anyway.
  }

  end(): void {
    this.settle();
    if (!this.#endsLine) this.#screen.answer('\n');
    this.#endsLine = true;
  }
}

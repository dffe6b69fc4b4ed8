import type { AnswerWriter } from './live-answer.ts';
import { PrintedText } from './printed-text.ts';
import type { Screen } from './screen.ts';

const RESTARTED = 'The model call begins again: stdout has the answer again from there, after a line break.';

/**
 * The answer for a pipe whose reader wants every word at once (`--stream`): what was written cannot be taken back, so a
 * withdrawn text stays there, and stderr says so.
 */
export class StreamedAnswer implements AnswerWriter {
  readonly #screen: Screen;
  readonly #printed = new PrintedText();
  #endsLine = true;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  text(chunk: string): void {
    const writing = this.#printed.take(chunk);
    if (writing.kind === 'restart') {
      this.#screen.say(RESTARTED);
      this.#screen.answer('\n');
    }
    this.#screen.answer(writing.text);
    if (writing.text !== '') this.#endsLine = writing.text.endsWith('\n');
  }

  withdraw(kept: number): void {
    this.#printed.withdraw(kept);
  }

  settle(): void {
    // Everything has been written already.
  }

  setVerbatim(): void {
    // Every byte is written as it is anyway.
  }

  end(): void {
    if (this.#printed.withdrawn > 0) {
      this.#screen.say(`The last ${this.#printed.withdrawn} characters on stdout were withdrawn.`);
    }
    if (!this.#endsLine) this.#screen.answer('\n');
    this.#endsLine = true;
  }
}

import { MarkdownStream } from './markdown-stream.ts';
import { PrintedText, type TextChange } from './printed-text.ts';
import { SafeText } from '../../base/text/safe-for-terminal.ts';
import type { ScreenMark } from './tracked-output.ts';
import type { Screen } from './screen.ts';
import type { AnswerWriter } from './answer-writer.ts';

const INTERRUPTED = '⟲ the model call was interrupted and begins again; what follows replaces the text above';

/**
 * Shows the answer on a terminal, where it streams with rendered Markdown. What a reset withdraws leaves the screen
 * when the repeated call says something else, or ends without having said it again. If that text cannot be reached any
 * longer, a line says so.
 */
export class LiveAnswer implements AnswerWriter {
  readonly #screen: Screen;
  readonly #printed = new PrintedText();
  readonly #markdown: MarkdownStream;
  readonly #fileText = new SafeText();
  /**
   * Where the text of the running model call begins, in characters and on the screen. Only text after it can be erased.
   * Undefined before the call's first text.
   */
  #callStart: { readonly length: number; readonly mark: ScreenMark } | undefined;
  #isVerbatim = false;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#markdown = new MarkdownStream(screen, screen.colors);
    screen.onBeforeReport(() => this.#markdown.interrupt());
  }

  write(chunk: string): void {
    this.#apply(this.#printed.push(chunk));
  }

  withdraw(keptLength: number): void {
    this.#printed.withdraw(keptLength);
  }

  settle(): void {
    this.#removeWithdrawn();
    this.#markdown.end();
    this.#callStart = undefined;
  }

  setVerbatim(isVerbatim: boolean): void {
    if (isVerbatim !== this.#isVerbatim) this.#markdown.end();
    this.#isVerbatim = isVerbatim;
  }

  end(): void {
    this.settle();
    this.#screen.write(this.#fileText.end());
    if (this.#screen.column > 0) this.#screen.write('\n');
  }

  #apply(change: TextChange): void {
    const { text } = change;
    if (change.kind === 'restart') {
      if (!this.#eraseBackTo(change.keptLength)) this.#screen.reportDimmed(INTERRUPTED);
      this.#callStart = undefined;
    }
    if (text === '') return;
    this.#callStart ??= { length: this.#printed.length - text.length, mark: this.#screen.mark() };
    if (this.#isVerbatim) this.#screen.write(this.#fileText.feed(text));
    else this.#markdown.feed(text);
  }

  /** Removes text that was withdrawn and has not come again. */
  #removeWithdrawn(): void {
    const { withdrawnLength } = this.#printed;
    if (withdrawnLength === 0) return;
    const keptLength = this.#callStart?.length ?? 0;
    const remaining = this.#printed.dropWithdrawn(keptLength);
    if (!this.#eraseBackTo(keptLength)) {
      this.#markdown.end();
      return this.#screen.reportDimmed(`⟲ the last ${withdrawnLength} characters above were withdrawn`);
    }
    this.#callStart = undefined;
    this.#apply({ kind: 'more', text: remaining });
  }

  /** Erases what is after the first `keptLength` characters from the screen. Returns false if that is not possible. */
  #eraseBackTo(keptLength: number): boolean {
    const callStart = this.#callStart;
    this.#markdown.abandon();
    if (callStart?.length !== keptLength) return false;
    return this.#screen.eraseAfter(callStart.mark);
  }
}

import { MarkdownStream } from './markdown-stream.ts';
import { PrintedText, type TextChange } from './printed-text.ts';
import { SafeText } from '../../base/text/safe-for-terminal.ts';
import type { ScreenMark, Screen } from './screen.ts';

/** Shows the text of a turn. It is given the surviving text: chunks, and how much of it a reset has left. */
export interface AnswerWriter {
  text(chunk: string): void;
  withdraw(kept: number): void;
  /** Notes that the text so far cannot be withdrawn any longer. */
  settle(): void;
  /** Sets whether the text that follows is the content of a file, and not Markdown. */
  setVerbatim(isVerbatim: boolean): void;
  end(): void;
}

const INTERRUPTED = '⟲ the model call was interrupted and begins again; what follows replaces the text above';

/**
 * The answer on a terminal: it streams, with rendered Markdown. What a reset withdraws leaves the screen as soon as the
 * repeated call says something else; where that cannot be reached any longer, a line says so.
 */
export class LiveAnswer implements AnswerWriter {
  readonly #screen: Screen;
  readonly #printed = new PrintedText();
  readonly #markdown: MarkdownStream;
  readonly #file = new SafeText();
  /** The place where the text of the running model call begins: only this text can be withdrawn. */
  #begin: { readonly length: number; readonly mark: ScreenMark } | undefined;
  #isVerbatim = false;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#markdown = new MarkdownStream(screen, screen.colors);
    screen.beforeTalk(() => this.#markdown.interrupt());
  }

  text(chunk: string): void {
    this.#write(this.#printed.take(chunk));
  }

  withdraw(kept: number): void {
    this.#printed.withdraw(kept);
  }

  settle(): void {
    this.#removeWithdrawn();
    this.#markdown.end();
    this.#begin = undefined;
  }

  setVerbatim(isVerbatim: boolean): void {
    if (isVerbatim !== this.#isVerbatim) this.#markdown.end();
    this.#isVerbatim = isVerbatim;
  }

  end(): void {
    this.settle();
    this.#screen.answer(this.#file.end());
    if (this.#screen.column > 0) this.#screen.answer('\n');
  }

  #write(writing: TextChange): void {
    const { text } = writing;
    if (writing.kind === 'restart') {
      if (!this.#eraseBackTo(writing.kept)) this.#screen.mention(INTERRUPTED);
      this.#begin = undefined;
    }
    if (text === '') return;
    this.#begin ??= { length: this.#printed.length - text.length, mark: this.#screen.mark() };
    if (this.#isVerbatim) this.#screen.answer(this.#file.feed(text));
    else this.#markdown.feed(text);
  }

  /** Removes text that was withdrawn and has not come again. */
  #removeWithdrawn(): void {
    const { withdrawn } = this.#printed;
    if (withdrawn === 0) return;
    const kept = this.#begin?.length ?? 0;
    const again = this.#printed.standing(kept);
    if (!this.#eraseBackTo(kept)) {
      this.#markdown.end();
      return this.#screen.mention(`⟲ the last ${withdrawn} characters above were withdrawn`);
    }
    this.#begin = undefined;
    this.#write({ kind: 'more', text: again });
  }

  /** Takes everything after the first `kept` characters off the screen; returns false where it has to stay. */
  #eraseBackTo(kept: number): boolean {
    const begin = this.#begin;
    this.#markdown.leave();
    if (begin?.length !== kept) return false;
    return this.#screen.eraseAfter(begin.mark);
  }
}

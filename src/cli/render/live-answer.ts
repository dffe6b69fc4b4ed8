import { MarkdownStream } from './markdown-stream.ts';
import { PrintedText, type Writing } from './printed-text.ts';
import { safeForTerminal } from './safe-for-terminal.ts';
import { sizeOf, type Screen } from './screen.ts';

/** Where the text of a turn is shown. Fed with the surviving text: chunks, and how much of it a reset left. */
export interface AnswerWriter {
  text(chunk: string): void;
  withdraw(kept: number): void;
  /** The text so far will not be withdrawn any more. */
  settle(): void;
  /** `verbatim`: what follows is the content of a file and no Markdown. */
  verbatim(on: boolean): void;
  end(): void;
}

const INTERRUPTED = '⟲ the model call was interrupted and begins again; what follows replaces the text above';

/** The answer on a terminal: as it streams, Markdown rendered. */
export class LiveAnswer implements AnswerWriter {
  readonly #screen: Screen;
  readonly #printed = new PrintedText();
  readonly #markdown: MarkdownStream;
  #verbatim = false;
  #endsLine = true;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#markdown = new MarkdownStream({
      colors: screen.colors,
      write: (text) => screen.answer(text),
      size: () => sizeOf(screen.stdout),
    });
    screen.beforeTalk(() => this.#markdown.end());
  }

  text(chunk: string): void {
    this.#write(this.#printed.take(chunk));
  }

  withdraw(kept: number): void {
    this.#printed.withdraw(kept);
  }

  settle(): void {
    this.#markdown.end();
  }

  verbatim(on: boolean): void {
    if (on !== this.#verbatim) this.#markdown.end();
    this.#verbatim = on;
  }

  end(): void {
    this.#markdown.end();
    if (this.#printed.withdrawn > 0)
      this.#screen.mention(`⟲ the last ${this.#printed.withdrawn} characters above were withdrawn`);
    if (!this.#endsLine) this.#screen.answer('\n');
    this.#endsLine = true;
  }

  #write(writing: Writing): void {
    if (writing.kind === 'restart') {
      this.#markdown.leave();
      this.#screen.mention(INTERRUPTED);
    }
    const { text } = writing;
    if (text === '') return;
    this.#endsLine = text.endsWith('\n');
    if (this.#verbatim) this.#screen.answer(safeForTerminal(text));
    else this.#markdown.feed(text);
  }
}

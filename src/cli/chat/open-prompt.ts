import type { Screen } from '../render/screen.ts';
import { PromptRenderer, type PromptOutput } from './prompt-renderer.ts';
import type { LineEditor } from './line-editor.ts';
import type { SentLine, TypedLine, OpenQuestion } from './typed-line.ts';

export interface OpenPromptOptions {
  readonly output: PromptOutput;
  readonly screen: Screen;
  /** The line in which a person types. */
  readonly editor: LineEditor;
  /** The text before the prompt of a request. */
  readonly beforeRequest: () => string;
}

/** The prompt while a line is expected: it is drawn below everything else until a person has sent one. */
export class OpenPrompt {
  readonly #options: OpenPromptOptions;
  readonly #renderer: PromptRenderer;
  #question: OpenQuestion | undefined;

  constructor(options: OpenPromptOptions) {
    this.#options = options;
    const renderer = new PromptRenderer(options.output, () => this.draw());
    this.#renderer = renderer;
    options.screen.setFooter({
      get isShown() {
        return renderer.isShown;
      },
      hide: () => renderer.hide(),
      show: () => this.draw(),
    });
  }

  get question(): OpenQuestion | undefined {
    return this.#question;
  }

  /** Begins a row, which holds the prompt of the question from `open` on. */
  beginRow(): void {
    this.#options.screen.setTypeAhead('');
    this.#options.screen.endLine();
  }

  open(question: OpenQuestion): void {
    this.#question = question;
    this.draw();
  }

  /** Draws the prompt; draws nothing where no line is expected. */
  draw(): void {
    if (!this.#question) return;
    const { editor, beforeRequest } = this.#options;
    const before = this.#question.kind === 'request' ? beforeRequest() : '';
    const { prompt = before + this.#question.prompt, buffer, hints } = editor.view;
    this.#renderer.draw({ prompt, buffer, hints });
  }

  hide(): void {
    this.#renderer.hide();
  }

  clearScreen(): void {
    this.#renderer.clearScreen();
  }

  /** Leaves the typed text on the screen as it was sent, without completions and the parts that did not fit. */
  finish(question: OpenQuestion, typed: TypedLine | 'escaped'): void {
    this.#question = undefined;
    if (typeof typed !== 'object') return this.#renderer.leaveOnScreen(typed === 'cleared' ? '^C' : '');
    this.#renderer.hide();
    this.printSent(question.prompt, typed);
  }

  /** Shows a line as it was sent. */
  printSent(prompt: string, { displayText }: SentLine): void {
    this.#options.screen.report(prompt + displayText.replaceAll('\n', `\n${' '.repeat(prompt.length)}`));
  }

  /** Closes the prompt of a request; half-typed text stays in the editor. Returns false when none was open. */
  withdraw(): boolean {
    if (this.#question?.kind !== 'request') return false;
    const { resolve } = this.#question;
    this.#renderer.hide();
    this.#question = undefined;
    resolve('withdrawn');
    return true;
  }

  close(): void {
    this.withdraw();
    this.#renderer.close();
    this.#options.screen.setFooter(undefined);
  }
}

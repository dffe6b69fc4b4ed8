import type { Screen } from '../render/screen.ts';
import { DrawnPrompt, type PromptOutput } from './drawn-prompt.ts';
import type { LineEditor } from './line-editor.ts';
import type { SentLine, TypedLine, WantedLine } from './typed-line.ts';

export interface OpenPromptOptions {
  readonly output: PromptOutput;
  readonly screen: Screen;
  /** The line in which a person types. */
  readonly editor: LineEditor;
  /** The text before the prompt of a request. */
  readonly beforeRequest: () => string;
}

/** The prompt while a line is wanted: it is drawn below everything else until there is one. */
export class OpenPrompt {
  readonly #options: OpenPromptOptions;
  readonly #drawn: DrawnPrompt;
  #wanted: WantedLine | undefined;

  constructor(options: OpenPromptOptions) {
    this.#options = options;
    const drawn = new DrawnPrompt(options.output, () => this.draw());
    this.#drawn = drawn;
    options.screen.setFooter({
      get isShown() {
        return drawn.isShown;
      },
      hide: () => drawn.hide(),
      show: () => this.draw(),
    });
  }

  get wanted(): WantedLine | undefined {
    return this.#wanted;
  }

  /** Begins a row, which holds the prompt of `wanted` from `open` on. */
  beginRow(): void {
    this.#options.screen.setAside('');
    this.#options.screen.endLine();
  }

  open(wanted: WantedLine): void {
    this.#wanted = wanted;
    this.draw();
  }

  /** Draws the prompt; draws nothing where no line is wanted. */
  draw(): void {
    if (!this.#wanted) return;
    const { editor, beforeRequest } = this.#options;
    const before = this.#wanted.kind === 'request' ? beforeRequest() : '';
    const { prompt = before + this.#wanted.prompt, buffer, hints } = editor.view;
    this.#drawn.draw({ prompt, buffer, hints });
  }

  hide(): void {
    this.#drawn.hide();
  }

  clearScreen(): void {
    this.#drawn.clearScreen();
  }

  /** Leaves the typed text on the screen as it was sent, without completions and the parts that did not fit. */
  finish(wanted: WantedLine, typed: TypedLine | 'escaped'): void {
    this.#wanted = undefined;
    if (typeof typed !== 'object') return this.#drawn.leave(typed === 'cleared' ? '^C' : '');
    this.#drawn.hide();
    this.tell(wanted.prompt, typed);
  }

  /** Shows a line as it was sent. */
  tell(prompt: string, { shown }: SentLine): void {
    this.#options.screen.say(prompt + shown.replaceAll('\n', `\n${' '.repeat(prompt.length)}`));
  }

  /** Takes the request back; half-typed text goes to the editor. Returns false when none was open. */
  withdraw(): boolean {
    if (this.#wanted?.kind !== 'request') return false;
    const { resolve } = this.#wanted;
    this.#drawn.hide();
    this.#wanted = undefined;
    resolve('withdrawn');
    return true;
  }

  close(): void {
    this.withdraw();
    this.#drawn.close();
    this.#options.screen.setFooter(undefined);
  }
}

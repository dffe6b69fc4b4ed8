import type { Screen } from '../render/screen.ts';
import { PromptLineRenderer, type PromptOutput } from './prompt-line-renderer.ts';
import type { LineEditor } from './line-editor.ts';
import type { SentLine, TypedLine, ExpectedLine } from './typed-line.ts';

export interface OpenPromptLineDeps {
  readonly output: PromptOutput;
  readonly screen: Screen;
  /** The line in which a person types. */
  readonly editor: LineEditor;
  /** Returns the text before the prompt of a reply. */
  readonly beforeReply: () => string;
}

/**
 * The prompt while a line is expected. It is drawn below everything else until the line is sent or no longer expected.
 */
export class OpenPromptLine {
  readonly #deps: OpenPromptLineDeps;
  readonly #renderer: PromptLineRenderer;
  #expected: ExpectedLine | undefined;

  constructor(deps: OpenPromptLineDeps) {
    this.#deps = deps;
    const renderer = new PromptLineRenderer(deps.output, () => this.draw());
    this.#renderer = renderer;
    deps.screen.setFooter({
      get isShown() {
        return renderer.isShown;
      },
      hide: () => renderer.hide(),
      show: () => this.draw(),
    });
  }

  /** The line that is expected. Undefined while none is. */
  get expected(): ExpectedLine | undefined {
    return this.#expected;
  }

  /** Begins a row for the prompt that `open` draws. */
  beginRow(): void {
    this.#deps.screen.setTypeAhead('');
    this.#deps.screen.endLine();
  }

  /** Draws the prompt for this line, which is expected from now on. */
  open(expected: ExpectedLine): void {
    this.#expected = expected;
    this.draw();
  }

  /** Draws the prompt. Draws nothing if no line is expected. */
  draw(): void {
    if (!this.#expected) return;
    const { editor, beforeReply } = this.#deps;
    const before = this.#expected.kind === 'reply' ? beforeReply() : '';
    const { prompt = before + this.#expected.prompt, buffer, hints } = editor.view;
    this.#renderer.draw({ prompt, buffer, hints });
  }

  /** Erases the prompt from the screen. The line is still expected. */
  hide(): void {
    this.#renderer.hide();
  }

  /** Clears the whole screen. The prompt appears again when it is drawn next. */
  clearScreen(): void {
    this.#renderer.clearScreen();
  }

  /**
   * Closes the prompt. A line that was sent stays on the screen in full, without completions. Without a line, the
   * prompt stays as it is, followed by `^C` if its text was cleared.
   */
  finish(expected: ExpectedLine, typed: TypedLine | 'escaped'): void {
    this.#expected = undefined;
    if (typeof typed !== 'object') return this.#renderer.leaveOnScreen(typed === 'cleared' ? '^C' : '');
    this.#renderer.hide();
    this.printSent(expected.prompt, typed);
  }

  /** Prints a line that was sent, after its prompt. */
  printSent(prompt: string, { displayText }: SentLine): void {
    this.#deps.screen.report(prompt + displayText.replaceAll('\n', `\n${' '.repeat(prompt.length)}`));
  }

  /** Closes the prompt of a reply. Half-typed text stays in the editor. Returns false when no reply was expected. */
  withdraw(): boolean {
    if (this.#expected?.kind !== 'reply') return false;
    const { resolve } = this.#expected;
    this.#renderer.hide();
    this.#expected = undefined;
    resolve('withdrawn');
    return true;
  }

  /** Closes the prompt for good. A reply that is expected counts as `withdrawn`. */
  close(): void {
    this.withdraw();
    this.#renderer.close();
    this.#deps.screen.setFooter(undefined);
  }
}

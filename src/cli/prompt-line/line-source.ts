import type { Interrupts } from '../process/cli-process.ts';
import type { Screen } from '../render/screen.ts';
import type { PromptOutput } from './prompt-line-renderer.ts';
import { TypeAhead, type RunningTurn } from './type-ahead.ts';
import { displayTextOfBuffer } from './edit-buffer.ts';
import { KeyTerminal } from './key-terminal.ts';
import type { KeyPress } from './keys.ts';
import { LineEditor, type Completion } from './line-editor.ts';
import { OpenPromptLine } from './open-prompt-line.ts';
import { LineKeys } from './line-keys.ts';
import type { ReplyPrompt, TypedLine, TypedReply } from './typed-line.ts';

export interface LineSourceDeps {
  readonly input: NodeJS.ReadStream;
  readonly output: PromptOutput;
  readonly screen: Screen;
  readonly interrupts: Interrupts;
  readonly after: (ms: number, run: () => void) => () => void;
  /** The lines that were sent before, newest first. */
  readonly history: readonly string[];
  /** Messages that are given before anything is typed; they come first. */
  readonly initialMessages: readonly string[];
  readonly complete: (before: string) => Completion;
  /** Called with each line that a person sends while no request is open. */
  readonly onSent: (text: string) => void;
}

/**
 * Reads the messages that a person types. The terminal is read key by key until `close`.
 *
 * - What is typed while no line is asked for is shown below the answer. Half-typed text is kept for the next prompt.
 * - Whole messages go into the running turn or, if there is none, to the next turns.
 * - Ctrl-C while no line is asked for is an interrupt, and drops the messages that wait.
 */
export class LineSource {
  readonly #deps: LineSourceDeps;
  readonly #editor: LineEditor;
  readonly #terminal: KeyTerminal;
  readonly #prompt: OpenPromptLine;
  readonly #typeAhead: TypeAhead;
  readonly #keys: LineKeys;

  constructor(deps: LineSourceDeps) {
    this.#deps = deps;
    this.#editor = new LineEditor(deps);
    this.#typeAhead = new TypeAhead(deps.initialMessages);
    const { output, screen } = deps;
    const beforeReply = (): string => this.#typeAhead.countLabel;
    this.#prompt = new OpenPromptLine({ output, screen, editor: this.#editor, beforeReply });
    this.#terminal = new KeyTerminal({
      input: deps.input,
      write: (text) => output.write(text),
      onKeys: (keys) => this.#onKeys(keys),
      onEnd: () => this.#keys.deliver('eof'),
      onResume: () => this.#prompt.draw(),
      after: deps.after,
    });
    this.#keys = new LineKeys({
      ...deps,
      editor: this.#editor,
      prompt: this.#prompt,
      typeAhead: this.#typeAhead,
      suspend: () => this.#terminal.suspend(),
      refresh: () => this.refresh(),
    });
    this.#terminal.open();
  }

  /** Returns the next message, typed ahead or now, or what the person did instead. Ends what `setTurn` began. */
  async next(prompt: string): Promise<TypedLine> {
    this.#keys.turnEnded();
    await this.#terminal.ready;
    const early = this.#typeAhead.shift();
    this.#prompt.beginRow();
    if (early !== undefined) return this.#showQueued(prompt, early);
    const unsubscribe = this.#deps.interrupts.subscribe(() =>
      this.#onKeys([{ kind: 'chord', chord: 'ctrl-c' }]),
    );
    try {
      return await new Promise((resolve) => this.#prompt.open({ kind: 'message', prompt, resolve }));
    } finally {
      unsubscribe();
    }
  }

  /**
   * Asks for the reply to a request of the running turn. A half-typed line stays, unless `text` replaces it. If there
   * are `keys`, any other line goes into the turn of `setTurn`.
   */
  async readReply({ prompt, keys, text, signal }: ReplyPrompt): Promise<TypedReply> {
    await this.#terminal.ready;
    if (signal.aborted) return 'withdrawn';
    this.#prompt.beginRow();
    if (text !== undefined) this.#editor.setText(text);
    const withdraw = (): void => {
      if (text !== undefined) this.#editor.setText('');
      this.#keys.withdrawReply();
    };
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      return await new Promise((resolve) => this.#prompt.open({ kind: 'reply', prompt, keys, resolve }));
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }

  /** Lets messages that are typed from now on go into this turn. */
  setTurn(turn: RunningTurn): void {
    this.#typeAhead.turn = turn;
  }

  /** Hands a message that no turn has accepted to the call of `next` that waits, or to a later one. */
  queue(message: string): void {
    const typed = { line: message, displayText: message };
    if (this.#prompt.expected?.kind === 'message') this.#keys.deliver(typed);
    else this.#typeAhead.push(typed);
    this.refresh();
  }

  /** Puts a message back into the line, before what has been typed since. */
  putBack(message: string): void {
    this.#editor.putBack(message);
    this.refresh();
  }

  /** Draws again, since something other than the typed text has changed. */
  refresh(): void {
    if (this.#prompt.expected) this.#prompt.draw();
    else this.#showTypeAhead();
  }

  /** Drops messages that wait. Returns how many there were. */
  clearTypeAhead(): number {
    return this.#typeAhead.clear();
  }

  /**
   * Gives the terminal back. A reply that is waited for counts as `withdrawn`; a call of `next` that waits never
   * resolves.
   */
  close(): void {
    this.#keys.close();
    this.#prompt.close();
    this.#terminal.close();
  }

  /** Prints a message that was typed ahead, as if it had been typed now. */
  #showQueued(prompt: string, early: TypedLine): TypedLine {
    if (typeof early === 'object') this.#prompt.printSent(prompt, early);
    this.#showTypeAhead();
    return early;
  }

  /** Shows what was typed ahead on a line below the answer. */
  #showTypeAhead(): void {
    const { prompt = '', buffer } = this.#editor.view;
    const typed = (prompt + displayTextOfBuffer(buffer)).replaceAll(/\s/g, ' ');
    this.#deps.screen.setTypeAhead(this.#typeAhead.countLabel + typed);
  }

  #onKeys(keys: readonly KeyPress[]): void {
    for (const key of keys) this.#keys.press(key);
    this.refresh();
  }
}

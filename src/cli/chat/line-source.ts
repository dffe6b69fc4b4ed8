import type { Interrupts } from '../process/cli-process.ts';
import type { Screen } from '../render/screen.ts';
import type { PromptOutput } from './prompt-line-renderer.ts';
import { TypeAhead, type RunningTurn } from './type-ahead.ts';
import { displayTextOfBuffer } from './edit-buffer.ts';
import { KeyTerminal } from './key-terminal.ts';
import type { KeyPress } from './keys.ts';
import { LineEditor, type Completion } from './line-editor.ts';
import { OpenPromptLine } from './open-prompt-line.ts';
import {
  acceptsLine,
  expectedLetter,
  type ReplyPrompt,
  type TypedLine,
  type TypedReply,
} from './typed-line.ts';

export interface LineSourceOptions {
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

/** Time in milliseconds until a lone letter counts as a key. Within a word, a person hardly pauses that long. */
const SINGLE_LETTER_MS = 300;

/**
 * Reads the messages that a person types. The terminal is read key by key until `close`.
 *
 * - What is typed while no line is asked for is shown below the answer. Half-typed text is kept for the next prompt.
 * - Whole messages go into the running turn or, if there is none, to the next turns.
 * - Ctrl-C while no line is asked for is an interrupt, and drops the messages that wait.
 */
export class LineSource {
  readonly #options: LineSourceOptions;
  readonly #editor: LineEditor;
  readonly #terminal: KeyTerminal;
  readonly #prompt: OpenPromptLine;
  readonly #typeAhead: TypeAhead;
  /** True when the running turn was interrupted already. */
  #wasInterrupted = false;
  #cancelLetter: () => void = () => undefined;

  constructor(options: LineSourceOptions) {
    this.#options = options;
    this.#editor = new LineEditor(options);
    this.#typeAhead = new TypeAhead(options.initialMessages);
    const { output, screen } = options;
    const beforeReply = (): string => this.#typeAhead.countLabel;
    this.#prompt = new OpenPromptLine({ output, screen, editor: this.#editor, beforeReply });
    this.#terminal = new KeyTerminal({
      input: options.input,
      write: (text) => output.write(text),
      onKeys: (keys) => this.#onKeys(keys),
      onEnd: () => this.#deliver('eof'),
      onResume: () => this.#prompt.draw(),
      after: options.after,
    });
    this.#terminal.open();
  }

  /** Returns the next message, typed ahead or now, or what the person did instead. Ends what `setTurn` began. */
  async next(prompt: string): Promise<TypedLine> {
    this.#wasInterrupted = false;
    this.#typeAhead.turn = undefined;
    await this.#terminal.ready;
    const early = this.#typeAhead.shift();
    this.#prompt.beginRow();
    if (early !== undefined) return this.#showQueued(prompt, early);
    const unsubscribe = this.#options.interrupts.subscribe(() =>
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
      this.#withdrawReply();
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
    if (this.#prompt.expected?.kind === 'message') this.#deliver(typed);
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

  close(): void {
    this.#cancelLetter();
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
    this.#options.screen.setTypeAhead(this.#typeAhead.countLabel + typed);
  }

  #onKeys(keys: readonly KeyPress[]): void {
    for (const key of keys) this.#press(key);
    this.refresh();
  }

  #press(key: KeyPress): void {
    this.#cancelLetter();
    const expectedKind = this.#prompt.expected?.kind;
    const { prompt, buffer } = this.#editor.view;
    if (expectedKind !== 'message' && key.kind === 'chord') {
      const isEmpty = prompt === undefined && buffer.atoms.length === 0;
      if (key.chord === 'ctrl-c' && (expectedKind === undefined || isEmpty)) return this.#interrupt();
      if (key.chord === 'escape' && prompt === undefined) return this.#onEscape();
    }
    const pressed = this.#editor.press(key);
    switch (pressed.kind) {
      case 'edited':
        return key.kind === 'text' ? this.#acceptLetterSoon() : undefined;
      case 'sent':
        if (expectedKind !== 'reply') this.#options.onSent(pressed.text);
        return this.#deliver({ line: pressed.text, displayText: pressed.displayText });
      case 'cleared':
        return this.#deliver('cleared');
      case 'interrupt':
        return this.#deliver('interrupted');
      case 'eof':
        return this.#deliver('eof');
      case 'suspend':
        this.#prompt.hide();
        return this.#terminal.suspend();
      case 'redraw':
        return this.#prompt.clearScreen();
      default:
        return pressed satisfies never;
    }
  }

  /**
   * Takes a single letter as the reply to a request once a pause follows it. A person who keeps typing means a word,
   * which is sent into the turn.
   */
  #acceptLetterSoon(): void {
    const letter = expectedLetter(this.#prompt.expected, displayTextOfBuffer(this.#editor.view.buffer));
    if (letter === undefined) return;
    this.#cancelLetter = this.#options.after(SINGLE_LETTER_MS, () => {
      this.#editor.setText('');
      this.#deliver({ line: letter, displayText: letter });
      this.refresh();
    });
  }

  /**
   * Handles Escape outside of a message prompt: clears text, or else declines the request, or else lets the model read
   * pending messages at once. Otherwise it does what the first Ctrl-C does, and never leaves as the second does.
   */
  #onEscape(): void {
    if (this.#editor.view.buffer.atoms.length > 0) {
      this.#editor.press({ kind: 'chord', chord: 'ctrl-c' });
      return;
    }
    const { expected } = this.#prompt;
    if (expected?.kind === 'reply') {
      this.#prompt.finish(expected, 'escaped');
      return expected.resolve('escaped');
    }
    if (!this.#typeAhead.turn?.interruptModel() && !this.#wasInterrupted) this.#interrupt();
  }

  #interrupt(): void {
    this.#withdrawReply();
    this.#typeAhead.clear();
    this.#typeAhead.turn?.dropPending();
    this.#wasInterrupted = true;
    this.#options.interrupts.raise();
  }

  #deliver(typed: TypedLine): void {
    const { expected } = this.#prompt;
    // Without a running turn, every line goes to the open prompt, and the caller says what it expects.
    const isTaken =
      this.#typeAhead.turn === undefined || typeof typed !== 'object' || acceptsLine(expected, typed.line);
    if (!expected || !isTaken) return this.#typeAhead.accept(typed);
    this.#prompt.finish(expected, typed);
    expected.resolve(typed);
  }

  #withdrawReply(): void {
    this.#cancelLetter();
    if (this.#prompt.withdraw()) this.#showTypeAhead();
  }
}

import type { Interrupts } from '../process/cli-process.ts';
import type { Screen } from '../render/screen.ts';
import type { PromptOutput } from './drawn-prompt.ts';
import { EarlyMessages, type RunningTurn } from './early-messages.ts';
import { shownText } from './edit-buffer.ts';
import { KeyTerminal } from './key-terminal.ts';
import type { KeyPress } from './keys.ts';
import { LineEditor, type Completion } from './line-editor.ts';
import { OpenPrompt } from './open-prompt.ts';
import { isWanted, wantedLetter, type AskedLine, type TypedLine, type TypedReply } from './typed-line.ts';

export interface LineSourceOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: PromptOutput;
  readonly screen: Screen;
  readonly interrupts: Interrupts;
  readonly after: (ms: number, run: () => void) => () => void;
  /** The lines that were sent before, newest first. */
  readonly history: readonly string[];
  /** Messages that are given before anything is typed; they come first. */
  readonly given: readonly string[];
  readonly complete: (before: string) => Completion;
  /** Called with every message that is sent. */
  readonly onSent: (text: string) => void;
}

/** A pause after a first letter that nobody makes who is typing a word. */
const LETTER_ALONE_MS = 300;

/**
 * Messages that a person types. The terminal is read key by key from `open` to `close`: what is typed while no line is
 * asked for is kept and shown below the answer; whole messages go to the next questions, the rest to the next prompt.
 * Ctrl-C is then an interrupt, and drops the messages that wait.
 */
export class LineSource {
  readonly #options: LineSourceOptions;
  readonly #editor: LineEditor;
  readonly #terminal: KeyTerminal;
  readonly #prompt: OpenPrompt;
  readonly #early: EarlyMessages;
  /** True when what runs now was already interrupted. */
  #isStopped = false;
  #stopLetter: () => void = () => undefined;

  constructor(options: LineSourceOptions) {
    this.#options = options;
    this.#editor = new LineEditor(options);
    this.#early = new EarlyMessages(options.given);
    const { output, screen } = options;
    const beforeRequest = (): string => this.#early.count;
    this.#prompt = new OpenPrompt({ output, screen, editor: this.#editor, beforeRequest });
    this.#terminal = new KeyTerminal({
      input: options.input,
      write: (text) => output.write(text),
      onKeys: (keys) => this.#onKeys(keys),
      onEnd: () => this.#give('eof'),
      onResume: () => this.#prompt.draw(),
      after: options.after,
    });
    this.#terminal.open();
  }

  /** Returns the next message. What was typed since the last one is not lost. */
  async next(prompt: string): Promise<TypedLine> {
    this.#isStopped = false;
    this.#early.turn = undefined;
    await this.#terminal.ready;
    const early = this.#early.shift();
    this.#prompt.beginRow();
    if (early !== undefined) return this.#giveEarly(prompt, early);
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
   * Asks for the reply to a request of the running turn. A half-typed line stays; a line that is none of the keys goes
   * into the turn, as always.
   */
  async reply({ prompt, keys, text, signal }: AskedLine): Promise<TypedReply> {
    await this.#terminal.ready;
    if (signal.aborted) return 'withdrawn';
    this.#prompt.beginRow();
    if (text !== undefined) this.#editor.fill(text);
    const withdraw = (): void => {
      if (text !== undefined) this.#editor.fill('');
      this.#withdraw();
    };
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      return await new Promise((resolve) => this.#prompt.open({ kind: 'request', prompt, keys, resolve }));
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }

  /** Lets messages that are typed from now on go into this turn. */
  setTurn(turn: RunningTurn): void {
    this.#early.turn = turn;
  }

  /** Takes a message that no turn has taken: it is the next one to be returned. */
  ask(message: string): void {
    const typed = { line: message, shown: message };
    if (this.#prompt.wanted?.kind === 'message') this.#give(typed);
    else this.#early.keep(typed);
    this.refresh();
  }

  /** Puts a message that nobody has read back where it was typed, before what has been typed since. */
  putBack(message: string): void {
    this.#editor.putBack(message);
    this.refresh();
  }

  /** Draws again, since something beside the typed text has changed. */
  refresh(): void {
    if (this.#prompt.wanted) this.#prompt.draw();
    else this.#showAside();
  }

  /** Drops messages that wait; returns how many there were. */
  dropEarly(): number {
    return this.#early.drop();
  }

  close(): void {
    this.#stopLetter();
    this.#prompt.close();
    this.#terminal.close();
  }

  /** Shows a message that was typed ahead in the conversation, as if it had been typed now. */
  #giveEarly(prompt: string, early: TypedLine): TypedLine {
    if (typeof early === 'object') this.#prompt.tell(prompt, early);
    this.#showAside();
    return early;
  }

  /** Shows what was typed ahead on a line below the answer. */
  #showAside(): void {
    const { prompt = '', buffer } = this.#editor.view;
    const typed = (prompt + shownText(buffer)).replaceAll(/\s/g, ' ');
    this.#options.screen.setAside(this.#early.count + typed);
  }

  #onKeys(keys: readonly KeyPress[]): void {
    for (const key of keys) this.#press(key);
    this.refresh();
  }

  #press(key: KeyPress): void {
    this.#stopLetter();
    const wanted = this.#prompt.wanted?.kind;
    const { prompt, buffer } = this.#editor.view;
    if (wanted !== 'message' && key.kind === 'chord') {
      const isEmpty = prompt === undefined && buffer.atoms.length === 0;
      if (key.chord === 'ctrl-c' && (wanted === undefined || isEmpty)) return this.#stop();
      if (key.chord === 'escape' && prompt === undefined) return this.#escape();
    }
    const pressed = this.#editor.press(key);
    switch (pressed.kind) {
      case 'edited':
        return key.kind === 'text' ? this.#takeLetter() : undefined;
      case 'sent':
        if (wanted !== 'request') this.#options.onSent(pressed.text);
        return this.#give({ line: pressed.text, shown: pressed.shown });
      case 'cleared':
        return this.#give('cleared');
      case 'interrupt':
        return this.#give('interrupted');
      case 'eof':
        return this.#give('eof');
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
   * Takes a letter that answers a request, once it has stood by itself for a moment: a person who types a word means
   * the word.
   */
  #takeLetter(): void {
    const letter = wantedLetter(this.#prompt.wanted, shownText(this.#editor.view.buffer));
    if (letter === undefined) return;
    this.#stopLetter = this.#options.after(LETTER_ALONE_MS, () => {
      this.#editor.fill('');
      this.#give({ line: letter, shown: letter });
      this.refresh();
    });
  }

  /**
   * Lets the model read at once what was said; else acts as the first Ctrl-C, never as the second, which leaves.
   * Half-typed text is cleared first.
   */
  #escape(): void {
    if (this.#editor.view.buffer.atoms.length > 0) {
      this.#editor.press({ kind: 'chord', chord: 'ctrl-c' });
      return;
    }
    const { wanted } = this.#prompt;
    if (wanted?.kind === 'request') {
      this.#prompt.finish(wanted, 'escaped');
      return wanted.resolve('escaped');
    }
    if (!this.#early.turn?.sendAtOnce() && !this.#isStopped) this.#stop();
  }

  #stop(): void {
    this.#withdraw();
    this.#early.drop();
    this.#early.turn?.drop();
    this.#isStopped = true;
    this.#options.interrupts.raise();
  }

  #give(typed: TypedLine): void {
    const { wanted } = this.#prompt;
    // Without a turn to speak into, any line counts: the caller says what it expects.
    const isTaken =
      this.#early.turn === undefined || typeof typed !== 'object' || isWanted(wanted, typed.line);
    if (!wanted || !isTaken) return this.#early.take(typed);
    this.#prompt.finish(wanted, typed);
    wanted.resolve(typed);
  }

  #withdraw(): void {
    this.#stopLetter();
    if (this.#prompt.withdraw()) this.#showAside();
  }
}

import type { Interrupts } from '../process/cli-process.ts';
import { displayTextOfBuffer } from './edit-buffer.ts';
import type { KeyPress } from './keys.ts';
import type { LineEditor } from './line-editor.ts';
import type { OpenPromptLine } from './open-prompt-line.ts';
import type { TypeAhead } from './type-ahead.ts';
import { acceptsLine, expectedLetter, type TypedLine } from './typed-line.ts';

export interface LineKeysDeps {
  readonly editor: LineEditor;
  readonly prompt: OpenPromptLine;
  readonly typeAhead: TypeAhead;
  readonly interrupts: Interrupts;
  readonly after: (ms: number, run: () => void) => () => void;
  /** Called with each line that a person sends while no request is open. */
  readonly onSent: (text: string) => void;
  /** Puts the program to sleep, as Ctrl-Z asks for. */
  readonly suspend: () => void;
  /** Draws what is typed, in the prompt line or below the answer. */
  readonly refresh: () => void;
}

/** Time in milliseconds until a lone letter counts as a key. Within a word, a person hardly pauses that long. */
const SINGLE_LETTER_MS = 300;

/** What each key does, which depends on the line that is expected: a message, the reply to a request, or none. */
export class LineKeys {
  readonly #deps: LineKeysDeps;
  /** True when the running turn was interrupted already. */
  #wasInterrupted = false;
  #cancelLetter: () => void = () => undefined;

  constructor(deps: LineKeysDeps) {
    this.#deps = deps;
  }

  /** Called when the next message is asked for, so that no turn runs. */
  turnEnded(): void {
    this.#wasInterrupted = false;
    this.#deps.typeAhead.turn = undefined;
  }

  /** Handles one key. The caller draws afterwards. */
  press(key: KeyPress): void {
    this.#cancelLetter();
    const expectedKind = this.#deps.prompt.expected?.kind;
    const { prompt, buffer } = this.#deps.editor.view;
    if (expectedKind !== 'message' && key.kind === 'chord') {
      const isEmpty = prompt === undefined && buffer.atoms.length === 0;
      if (key.chord === 'ctrl-c' && (expectedKind === undefined || isEmpty)) return this.#interrupt();
      if (key.chord === 'escape' && prompt === undefined) return this.#onEscape();
    }
    const outcome = this.#deps.editor.press(key);
    switch (outcome.kind) {
      case 'edited':
        return key.kind === 'text' ? this.#acceptLetterSoon() : undefined;
      case 'sent':
        if (expectedKind !== 'reply') this.#deps.onSent(outcome.text);
        return this.deliver({ line: outcome.text, displayText: outcome.displayText });
      case 'cleared':
        return this.deliver('cleared');
      case 'interrupt':
        return this.deliver('interrupted');
      case 'eof':
        return this.deliver('eof');
      case 'suspend':
        this.#deps.prompt.hide();
        return this.#deps.suspend();
      case 'redraw':
        return this.#deps.prompt.clearScreen();
      default:
        return outcome satisfies never;
    }
  }

  /** Gives a line, or the key that was pressed instead, to whoever expects one; else keeps it as typed ahead. */
  deliver(typed: TypedLine): void {
    const { expected } = this.#deps.prompt;
    // Without a running turn, every line goes to the open prompt, and the caller says what it expects.
    const isTaken =
      this.#deps.typeAhead.turn === undefined ||
      typeof typed !== 'object' ||
      acceptsLine(expected, typed.line);
    if (!expected || !isTaken) return this.#deps.typeAhead.accept(typed);
    this.#deps.prompt.finish(expected, typed);
    expected.resolve(typed);
  }

  /** Ends the wait for the reply to a request, if there is one. What was typed stays. */
  withdrawReply(): void {
    this.#cancelLetter();
    if (this.#deps.prompt.withdraw()) this.#deps.refresh();
  }

  /** Drops a letter that waits to count as a reply, since nobody reads the reply any longer. */
  close(): void {
    this.#cancelLetter();
  }

  /**
   * Takes a single letter as the reply to a request once a pause follows it. A person who keeps typing means a word,
   * which is sent into the turn.
   */
  #acceptLetterSoon(): void {
    const letter = expectedLetter(
      this.#deps.prompt.expected,
      displayTextOfBuffer(this.#deps.editor.view.buffer),
    );
    if (letter === undefined) return;
    this.#cancelLetter = this.#deps.after(SINGLE_LETTER_MS, () => {
      this.#deps.editor.setText('');
      this.deliver({ line: letter, displayText: letter });
      this.#deps.refresh();
    });
  }

  /**
   * Handles Escape outside of a message prompt: clears text, or else declines the request, or else lets the model read
   * pending messages at once. Otherwise it does what the first Ctrl-C does, and never leaves as the second does.
   */
  #onEscape(): void {
    if (this.#deps.editor.view.buffer.atoms.length > 0) {
      this.#deps.editor.press({ kind: 'chord', chord: 'ctrl-c' });
      return;
    }
    const { expected } = this.#deps.prompt;
    if (expected?.kind === 'reply') {
      this.#deps.prompt.finish(expected, 'escaped');
      return expected.resolve('escaped');
    }
    if (!this.#deps.typeAhead.turn?.interruptModel() && !this.#wasInterrupted) this.#interrupt();
  }

  #interrupt(): void {
    this.withdrawReply();
    this.#deps.typeAhead.clear();
    this.#deps.typeAhead.turn?.dropPending();
    this.#wasInterrupted = true;
    this.#deps.interrupts.raise();
  }
}

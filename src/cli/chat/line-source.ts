import type { Interrupts } from '../cli-process.ts';
import type { Screen } from '../render/screen.ts';
import { DrawnPrompt, type PromptOutput } from './drawn-prompt.ts';
import { shownText } from './edit-buffer.ts';
import { KeyTerminal } from './key-terminal.ts';
import type { Key } from './keys.ts';
import { LineEditor, type Completion } from './line-editor.ts';
import { readChatLine } from './slash-command.ts';

export interface LineSourceOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: PromptOutput;
  readonly screen: Screen;
  readonly interrupts: Interrupts;
  readonly after: (ms: number, run: () => void) => () => void;
  /** Newest first. */
  readonly history: readonly string[];
  /** Messages that are there before anything is typed: the first ones. */
  readonly given: readonly string[];
  readonly complete: (before: string) => Completion;
  /** Told of every message that is sent. */
  readonly onSent: (text: string) => void;
}

/** A message, and how it is shown: pastes by their size. */
export interface SentLine {
  readonly line: string;
  readonly shown: string;
}

/** Where messages go that are typed while a turn runs. */
export interface RunningTurn {
  /** Sent into the turn, and not read by its model yet. */
  readonly waiting: number;
  /** False: it takes none. */
  say(message: string): boolean;
  /** Has the model read at once what waits; false: nothing does. */
  hurry(): boolean;
  /** What it does not take is asked no more. */
  drop(): void;
}

/** `eof`: Ctrl-D. `interrupted`: Ctrl-C with nothing typed; `cleared`: Ctrl-C took what was typed away. */
export type TypedLine = SentLine | 'eof' | 'interrupted' | 'cleared';

/**
 * Messages that a person types. The terminal is read key by key from `open` to `close`: what is typed while nobody
 * asks is kept and shows below the answer, whole messages for the next questions, the rest at the next prompt. Ctrl-C
 * is an interrupt then, and drops the messages that wait.
 */
export class LineSource {
  readonly #options: LineSourceOptions;
  readonly #editor: LineEditor;
  readonly #terminal: KeyTerminal;
  readonly #prompt: DrawnPrompt;
  #early: TypedLine[] = [];
  #turn: RunningTurn | undefined;
  /** What goes on now was interrupted already. */
  #isStopped = false;
  #waiting: { readonly prompt: string; readonly resolve: (typed: TypedLine) => void } | undefined;

  constructor(options: LineSourceOptions) {
    this.#options = options;
    this.#editor = new LineEditor(options);
    this.#prompt = new DrawnPrompt(options.output, () => this.#draw());
    this.#early = options.given.map((line) => ({ line, shown: line }));
    this.#terminal = new KeyTerminal({
      input: options.input,
      write: (text) => options.output.write(text),
      onKeys: (keys) => this.#onKeys(keys),
      onEnd: () => this.#give('eof'),
      onResume: () => this.#draw(),
      after: options.after,
    });
    options.screen.setFooter({ hide: () => this.#prompt.hide(), show: () => this.#draw() });
    this.#terminal.open();
  }

  /** The next message. What was typed since the last one is not lost. */
  async next(prompt: string): Promise<TypedLine> {
    this.#isStopped = false;
    this.#turn = undefined;
    await this.#terminal.ready;
    const early = this.#early.shift();
    this.#options.screen.setAside('');
    this.#options.screen.endLine();
    if (early !== undefined) return this.#giveEarly(prompt, early);
    const typed = new Promise<TypedLine>((resolve) => {
      this.#waiting = { prompt, resolve };
    });
    const unsubscribe = this.#options.interrupts.subscribe(() =>
      this.#onKeys([{ kind: 'chord', chord: 'ctrl-c' }]),
    );
    this.#draw();
    try {
      return await typed;
    } finally {
      unsubscribe();
    }
  }

  /** Messages that are typed from now on go into this turn. */
  setTurn(turn: RunningTurn): void {
    this.#turn = turn;
  }

  /** A message that no turn has taken: the next one to be given. */
  ask(message: string): void {
    const typed = { line: message, shown: message };
    if (this.#waiting) this.#give(typed);
    else this.#early.push(typed);
    this.refresh();
  }

  /** A message that nobody has read stands where it was typed, before what is typed since. */
  putBack(message: string): void {
    this.#editor.putBack(message);
    this.refresh();
  }

  /** Something that shows beside what is typed has changed. */
  refresh(): void {
    if (this.#waiting) this.#draw();
    else this.#showAside();
  }

  /** Messages that wait are not given any more; returns how many they were. */
  dropEarly(): number {
    const dropped = this.#early.length;
    this.#early = [];
    return dropped;
  }

  close(): void {
    this.#prompt.close();
    this.#options.screen.setFooter(undefined);
    this.#terminal.close();
  }

  /** A message that was typed ahead stands in the conversation as if it had been typed now. */
  #giveEarly(prompt: string, early: TypedLine): TypedLine {
    if (typeof early === 'object') this.#tell(prompt, early);
    this.#showAside();
    return early;
  }

  /** What was typed ahead, on a line below the answer. */
  #showAside(): void {
    const { prompt = '', buffer } = this.#editor.view;
    const typed = (prompt + shownText(buffer)).replaceAll(/\s/g, ' ');
    const count = this.#early.length + (this.#turn?.waiting ?? 0);
    const waiting = count === 0 ? '' : `(${count} waiting) `;
    this.#options.screen.setAside(waiting + typed);
  }

  #onKeys(keys: readonly Key[]): void {
    for (const key of keys) this.#press(key);
    this.refresh();
  }

  #press(key: Key): void {
    const isAsked = this.#waiting !== undefined;
    if (!isAsked && key.kind === 'chord' && key.chord === 'ctrl-c') {
      this.#stop();
      return;
    }
    if (!isAsked && key.kind === 'chord' && key.chord === 'escape' && this.#editor.view.prompt === undefined)
      return this.#escape();
    const pressed = this.#editor.press(key);
    switch (pressed.kind) {
      case 'edited':
        return;
      case 'sent':
        this.#options.onSent(pressed.text);
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
   * Has what was said read at once; else as the first Ctrl-C, never as the second, which leaves. What is half typed goes
   * before.
   */
  #escape(): void {
    if (this.#editor.view.buffer.atoms.length > 0) {
      this.#editor.press({ kind: 'chord', chord: 'ctrl-c' });
      return;
    }
    if (!this.#turn?.hurry() && !this.#isStopped) this.#stop();
  }

  #stop(): void {
    this.#early = [];
    this.#turn?.drop();
    this.#isStopped = true;
    this.#options.interrupts.raise();
  }

  #give(typed: TypedLine): void {
    const waiting = this.#waiting;
    if (!waiting) {
      const message = typeof typed === 'object' ? typed.line : undefined;
      if (message?.trim() === '' || (message !== undefined && this.#isTaken(message))) return;
      this.#early.push(typed);
      return;
    }
    this.#waiting = undefined;
    this.#finish(waiting.prompt, typed);
    waiting.resolve(typed);
  }

  /** A command of the prompt waits for it. */
  #isTaken(message: string): boolean {
    return readChatLine(message).kind === 'ask' && this.#turn?.say(message) === true;
  }

  /** What was typed stays on the screen as it was sent, without completions and the parts that did not fit. */
  #finish(prompt: string, typed: TypedLine): void {
    if (typeof typed !== 'object') return this.#prompt.leave(typed === 'cleared' ? '^C' : '');
    this.#prompt.hide();
    this.#tell(prompt, typed);
  }

  #tell(prompt: string, { shown }: SentLine): void {
    this.#options.screen.say(prompt + shown.replaceAll('\n', `\n${' '.repeat(prompt.length)}`));
  }

  #draw(): void {
    if (!this.#waiting) return;
    const { prompt = this.#waiting.prompt, buffer, hints } = this.#editor.view;
    this.#prompt.draw({ prompt, buffer, hints });
  }
}

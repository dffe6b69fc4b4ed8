import { createInterface, type Interface } from 'node:readline';
import type { Interrupts } from '../interrupts.ts';

export interface LineSourceOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
  readonly interrupts: Interrupts;
  /** Newest first. */
  readonly history: string[];
  readonly complete: (line: string) => [string[], string];
  readonly onHistory: (history: readonly string[]) => void;
}

/** `eof`: Ctrl-D. `interrupted`: a Ctrl-C at the prompt. */
export type Typed = { readonly line: string } | 'eof' | 'interrupted';

/**
 * Lines that a person types, with editing, history and completion. Between two questions the terminal is an
 * ordinary one again: Ctrl-C is a signal then, and what is typed waits in the terminal until it is read.
 */
export class LineSource {
  readonly #options: LineSourceOptions;
  readonly #lines: Interface;
  /** Lines of a paste that came before they were asked for. */
  readonly #early: Typed[] = [];
  #waiting: ((typed: Typed) => void) | undefined;

  constructor(options: LineSourceOptions) {
    this.#options = options;
    const { input, output, interrupts, history, complete: completer, onHistory } = options;
    const editing = { terminal: true, history, removeHistoryDuplicates: true, completer };
    this.#lines = createInterface({ input, output, ...editing });
    this.#lines.on('history', onHistory);
    this.#lines.on('line', (line) => this.#give({ line }));
    this.#lines.on('close', () => this.#give('eof'));
    this.#lines.on('SIGINT', () => interrupts.raise());
    this.#rest();
  }

  /** The next line. What was typed since the last one is not lost. */
  async next(prompt: string): Promise<Typed> {
    const early = this.#early.shift();
    if (early !== undefined) return early;
    this.#options.input.setRawMode(true);
    this.#lines.setPrompt(prompt);
    this.#lines.prompt();
    const unsubscribe = this.#options.interrupts.subscribe(() => this.#give('interrupted'));
    const typed = await new Promise<Typed>((resolve) => {
      this.#waiting = resolve;
    });
    unsubscribe();
    if (typed !== 'eof') this.#rest();
    return typed;
  }

  close(): void {
    this.#lines.close();
  }

  #give(typed: Typed): void {
    if (this.#waiting) this.#waiting(typed);
    else this.#early.push(typed);
    this.#waiting = undefined;
  }

  #rest(): void {
    this.#lines.pause();
    this.#options.input.setRawMode(false);
  }
}

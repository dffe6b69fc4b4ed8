import { readChatLine } from './chat-line.ts';
import type { TypedLine } from './typed-line.ts';

/** Takes the messages that are typed while a turn runs. */
export interface RunningTurn {
  /** The number of messages that were sent into the turn and not read by its model yet. */
  readonly waiting: number;
  /** Says a message into the turn; false: it takes none. */
  say(message: string): boolean;
  /** Has the model read at once what waits; false: nothing does. */
  sendAtOnce(): boolean;
  /** Drops what the turn has not taken: it is asked no more. */
  drop(): void;
}

/** The lines that are typed before they are asked for: they go into the running turn, or wait for the next question. */
export class EarlyMessages {
  #lines: TypedLine[];
  /** The turn that messages go into; undefined: none runs. */
  turn: RunningTurn | undefined;

  /** `given`: messages that are there before anything is typed. */
  constructor(given: readonly string[]) {
    this.#lines = given.map((line) => ({ line, shown: line }));
  }

  /** Messages that nobody has read yet, as a line says it. */
  get count(): string {
    const count = this.#lines.length + (this.turn?.waiting ?? 0);
    return count === 0 ? '' : `(${count} waiting) `;
  }

  /** The next one that no turn has taken. */
  shift(): TypedLine | undefined {
    return this.#lines.shift();
  }

  /** Waits for the next question, whatever turn runs. */
  keep(typed: TypedLine): void {
    this.#lines.push(typed);
  }

  /** A command of the prompt waits for it, and blank lines are nothing. */
  take(typed: TypedLine): void {
    const message = typeof typed === 'object' ? typed.line : undefined;
    if (message?.trim() === '') return;
    const isSaid =
      message !== undefined && readChatLine(message).kind === 'ask' && this.turn?.say(message) === true;
    if (!isSaid) this.keep(typed);
  }

  /** None of them is given any more; returns how many they were. */
  drop(): number {
    const dropped = this.#lines.length;
    this.#lines = [];
    return dropped;
  }
}

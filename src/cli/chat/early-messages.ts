import { readChatLine } from './chat-line.ts';
import type { TypedLine } from './typed-line.ts';

/** Takes the messages that are typed while a turn runs. */
export interface RunningTurn {
  /** The number of messages that were sent into the turn and not read by its model yet. */
  readonly waiting: number;
  /** Says a message into the turn; returns false when the turn takes none. */
  say(message: string): boolean;
  /** Lets the model read at once what waits; returns false when nothing waits. */
  sendAtOnce(): boolean;
  /** Drops the messages that the turn has not taken: they are not offered to it again. */
  drop(): void;
}

/** The lines that are typed before they are asked for: they go into the running turn, or wait for the next question. */
export class EarlyMessages {
  #lines: TypedLine[];
  /** The turn that messages go into; undefined when none runs. */
  turn: RunningTurn | undefined;

  /** `given` are messages that exist before anything is typed. */
  constructor(given: readonly string[]) {
    this.#lines = given.map((line) => ({ line, shown: line }));
  }

  /** Number of messages that nobody has read yet, as a line shows it. */
  get count(): string {
    const count = this.#lines.length + (this.turn?.waiting ?? 0);
    return count === 0 ? '' : `(${count} waiting) `;
  }

  /** Returns the next message that no turn has taken. */
  shift(): TypedLine | undefined {
    return this.#lines.shift();
  }

  /** Keeps a message for the next question, whatever turn runs. */
  keep(typed: TypedLine): void {
    this.#lines.push(typed);
  }

  /** Takes a line: a command of the prompt waits for the prompt, and blank lines are ignored. */
  take(typed: TypedLine): void {
    const message = typeof typed === 'object' ? typed.line : undefined;
    if (message?.trim() === '') return;
    const isSaid =
      message !== undefined && readChatLine(message).kind === 'ask' && this.turn?.say(message) === true;
    if (!isSaid) this.keep(typed);
  }

  /** Drops all messages; returns how many there were. */
  drop(): number {
    const dropped = this.#lines.length;
    this.#lines = [];
    return dropped;
  }
}

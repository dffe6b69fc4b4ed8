import { readChatLine } from './chat-line.ts';
import type { TypedLine } from './typed-line.ts';

/** The running turn, as it receives the messages that are typed meanwhile. */
export interface RunningTurn {
  /** The number of messages that were sent into the turn and not read by its model yet. */
  readonly pendingCount: number;
  /** Sends a message into the turn. Returns false when the turn accepts none. */
  steer(message: string): boolean;
  /** Ends the model call, so that the pending messages are read at once. Returns false when none is pending. */
  interruptModel(): boolean;
  /** Drops the messages that the turn has not accepted, so that they do not begin the next turn. */
  dropPending(): void;
}

/** The lines that are typed before they are asked for. They go into the running turn, or wait for the next prompt. */
export class TypeAhead {
  #lines: TypedLine[];
  /** The turn that messages go into. Undefined while no turn takes them. */
  turn: RunningTurn | undefined;

  /** `initialMessages` exist before anything is typed. */
  constructor(initialMessages: readonly string[]) {
    this.#lines = initialMessages.map((line) => ({ line, displayText: line }));
  }

  /** Number of messages that the model has not read yet, as a line shows it. Empty if there are none. */
  get countLabel(): string {
    const count = this.#lines.length + (this.turn?.pendingCount ?? 0);
    return count === 0 ? '' : `(${count} waiting) `;
  }

  /** Removes and returns the oldest line that waits, or returns undefined if there is none. */
  shift(): TypedLine | undefined {
    return this.#lines.shift();
  }

  /** Keeps a line for the next prompt, even if a turn runs that could take it. */
  push(typed: TypedLine): void {
    this.#lines.push(typed);
  }

  /**
   * Sends a message into the turn. Keeps it for the next prompt if no turn takes it, as it keeps commands and keys
   * such as Ctrl-D. Ignores blank lines.
   */
  accept(typed: TypedLine): void {
    const message = typeof typed === 'object' ? typed.line : undefined;
    if (message?.trim() === '') return;
    const isSteered =
      message !== undefined && readChatLine(message).kind === 'message' && this.turn?.steer(message) === true;
    if (!isSteered) this.push(typed);
  }

  /** Drops all lines that wait. Returns how many there were. */
  clear(): number {
    const dropped = this.#lines.length;
    this.#lines = [];
    return dropped;
  }
}

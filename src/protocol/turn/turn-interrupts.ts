import type { ProtocolExecutionContext } from './execution-context.ts';

/** The messages of the user that interrupt a turn: the model reads them before anything else begins. */
export class TurnInterrupts {
  readonly #steers: ProtocolExecutionContext['steers'];
  #hasEndedWork = false;

  constructor({ steers }: Pick<ProtocolExecutionContext, 'steers'>) {
    this.#steers = steers;
  }

  /** True when a message waits that is to be read before anything else begins. */
  get isWaiting(): boolean {
    return this.#steers?.hasInterrupt === true;
  }

  /** True when work of the turn was ended, or not begun, for a message that the model has not read yet. */
  get hasEndedWork(): boolean {
    return this.#hasEndedWork;
  }

  /** Notes that work was ended, or not begun, so that the model reads a message of the user first. */
  noteWorkEnded(): void {
    this.#hasEndedWork = true;
  }

  /** Notes that the model is given the messages for which work was ended or not begun. */
  noteRead(): void {
    this.#hasEndedWork = false;
  }
}

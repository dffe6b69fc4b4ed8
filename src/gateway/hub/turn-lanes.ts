import type { LaneControl } from '../../contracts/wire/live-lane.ts';

type Send = (control: LaneControl) => void;

/**
 * The writers of one turn that are connected to this gateway, by epoch. A newer epoch means that the writers of older
 * ones are dead or should be. Older writers are sent `fenced`, so that a forgotten model call costs no more money
 * (docs/turns.md "Live lane"). Correctness does not depend on it.
 */
export class TurnLanes {
  readonly #connected = new Map<number, Send>();
  #newestEpoch = -1;
  #isCancelled = false;
  /** Number of the newest step that somebody has interrupted. Undefined if none was. */
  #interruptedStep: number | undefined;

  /** True when the writer with the newest epoch is connected. */
  get isNewestConnected(): boolean {
    return this.#connected.has(this.#newestEpoch);
  }

  /** True when any writer of the turn is connected, even one of an older epoch. */
  get isAnyConnected(): boolean {
    return this.#connected.size > 0;
  }

  /**
   * Notes that the writer of an epoch is connected. `send` reaches it. It is told at once of a cancel or an
   * interruption that came before.
   */
  opened(epoch: number, send: Send): void {
    this.#connected.set(epoch, send);
    this.#newestEpoch = Math.max(this.#newestEpoch, epoch);
    // A cancel or an interruption may have come while no writer was connected: between two attempts, or while the
    // connection was cut.
    if (this.#isCancelled) send('cancel');
    if (this.#interruptedStep !== undefined) send({ interrupt: this.#interruptedStep });
    if (epoch < this.#newestEpoch) send('fenced');
    for (const [other, sendOther] of this.#connected) {
      if (other < epoch) sendOther('fenced');
    }
  }

  /** Notes that the writer of an epoch is no longer connected. */
  closed(epoch: number): void {
    this.#connected.delete(epoch);
  }

  /** Asks all writers to stop, and every writer that connects later. */
  cancel(): void {
    this.#isCancelled = true;
    for (const send of this.#connected.values()) send('cancel');
  }

  /** Asks all writers to end this step. Writers of other steps ignore that. */
  interrupt(step: number): void {
    this.#interruptedStep = Math.max(this.#interruptedStep ?? 0, step);
    for (const send of this.#connected.values()) send({ interrupt: step });
  }
}

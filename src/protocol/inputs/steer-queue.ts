import { utf8Bytes } from '../../contracts/values/at-most-bytes.ts';
import {
  type AcceptedSteer,
  MAX_STEER_BYTES_OF_TURN,
  MAX_STEERS_OF_TURN,
  type SteerRefusal,
  type SteerRequest,
} from '../../contracts/inputs/steering.ts';
import type { SteerPort } from '../ports/steer-port.ts';

/** The judgement of a message at this moment. `same` means that the message was accepted before. */
export type SteerVerdict =
  | { readonly kind: 'counts' }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly code: SteerRefusal; readonly message: string };

/**
 * Decides what happens to messages into a running turn: each one is either taken, refused or handed back
 * (docs/inputs.md "Steering"). It is plain state, which a replay builds again. Judging changes nothing, so that a
 * refused message leaves no trace.
 */
export class SteerQueue implements SteerPort {
  readonly #accepted: AcceptedSteer[] = [];
  #takenCount = 0;
  #isClosed = false;

  /** Returns what becomes of a message, by its id and by what the turn has accepted so far. Changes nothing. */
  judge({ messageId, content }: Pick<SteerRequest, 'messageId' | 'content'>): SteerVerdict {
    const known = this.#accepted.find((one) => one.messageId === messageId);
    if (known) {
      return known.content === content
        ? { kind: 'same' }
        : refusedSteer('idempotency_conflict', 'This messageId belongs to a different message of the turn.');
    }
    if (this.#isClosed) return refusedSteer('turn_ended', 'The turn has ended.');
    const bytes = this.#accepted.reduce((sum, one) => sum + utf8Bytes(one.content), utf8Bytes(content));
    if (this.#accepted.length >= MAX_STEERS_OF_TURN || bytes > MAX_STEER_BYTES_OF_TURN) {
      return refusedSteer(
        'too_many_messages',
        `A turn takes ${MAX_STEERS_OF_TURN} messages of ${MAX_STEER_BYTES_OF_TURN} bytes in all while it runs.`,
      );
    }
    return { kind: 'counts' };
  }

  /** Accepts a message. Call it only after `judge` says that it counts. */
  accept(steer: AcceptedSteer): void {
    this.#accepted.push(steer);
  }

  /**
   * Marks a waiting message as one to be read at once, because a repeat of the message says so. A message that was
   * already taken stays as it is.
   */
  markInterrupting(messageId: string): void {
    const index = this.#accepted.findIndex((one, i) => i >= this.#takenCount && one.messageId === messageId);
    const steer = this.#accepted[index];
    if (steer) this.#accepted[index] = { ...steer, when: 'now' };
  }

  get hasInterrupt(): boolean {
    return this.pending.some(({ when }) => when === 'now');
  }

  get hasPending(): boolean {
    return this.#takenCount < this.#accepted.length;
  }

  /** Messages that were accepted and that the model has not been sent yet. */
  get pending(): readonly AcceptedSteer[] {
    return this.#accepted.slice(this.#takenCount);
  }

  take(): readonly AcceptedSteer[] {
    const taken = this.pending;
    this.#takenCount = this.#accepted.length;
    return taken;
  }

  conclude(): boolean {
    this.#isClosed ||= !this.hasPending;
    return this.#isClosed;
  }

  /**
   * Closes the queue at the turn's end, so that new messages are refused. Returns the messages that still wait, which
   * are handed back.
   */
  close(): readonly AcceptedSteer[] {
    this.#isClosed = true;
    return this.pending;
  }
}

const refusedSteer = (code: SteerRefusal, message: string): SteerVerdict => ({
  kind: 'refused',
  code,
  message,
});

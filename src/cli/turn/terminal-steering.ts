import { randomUUID } from 'node:crypto';
import type { TurnMessageResponse } from '../../contracts/http/steer-api.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { FrameViewer } from './watch-turn.ts';

/** Takes back the messages that the running turn has not accepted, or has not read. */
export interface SteerHandlers {
  /** Sends a message as the next one, in a turn of its own, since this turn did not accept it. */
  sendNext(text: string): void;
  /** Puts a message back into the input line if it was not read, or if that is not known. */
  putBack(text: string): void;
  /** Called when the number of messages that wait for the model has changed. */
  onChange(): void;
}

/** Sends a steer, a message into the running turn. Resolves to `unknown` if the turn may have accepted it. */
export type SendSteer = (message: {
  readonly messageId: string;
  readonly content: string;
  readonly when: 'boundary' | 'now';
}) => Promise<TurnMessageResponse['state'] | 'refused' | 'unknown'>;

/** Sends the messages that a person types while a turn runs into that turn (docs/cli.md "Typing during an answer"). */
export class TerminalSteering implements FrameViewer {
  readonly #send: SendSteer;
  readonly #handlers: SteerHandlers;
  /** Texts of messages that were sent and not read by the model yet, by their ids. */
  readonly #pending = new Map<string, string>();
  /**
   * Ids of messages that the turn may or may not have accepted, by their texts. A message that is typed again is sent
   * under the same id, so that it counts once.
   */
  readonly #unknown = new Map<string, string>();
  /** Ids of pending messages that the turn has refused. */
  readonly #refused = new Set<string>();
  #inFlight = 0;
  #isOver = false;
  #isDropping = false;

  constructor(send: SendSteer, handlers: SteerHandlers) {
    this.#send = send;
    this.#handlers = handlers;
  }

  /** Number of messages that were sent and not read by the model yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Sends a message into the turn. Returns false when the turn has ended. */
  steer(content: string): boolean {
    if (this.#isOver) return false;
    const messageId = this.#unknown.get(content) ?? randomUUID();
    this.#pending.set(messageId, content);
    void this.#deliver(messageId, content);
    return true;
  }

  /**
   * Ends the model call, so that the pending messages are read at once. Returns false when none is pending or the turn
   * has ended.
   */
  interruptModel(): boolean {
    if (this.#isOver) return false;
    const [messageId, content] = [...this.#pending].at(-1) ?? [];
    if (messageId === undefined || content === undefined) return false;
    // The newest message is sent once more, now with `now`. Under its id it still counts once.
    void this.#send({ messageId, content, when: 'now' });
    return true;
  }

  /** Drops the messages that the turn does not accept, instead of sending them in a turn of their own. */
  dropPending(): void {
    this.#isDropping = true;
  }

  onFrame({ event }: { readonly event: TurnEvent }): void {
    if (event.type === 'steer') {
      this.#forget(event.messageId);
      // A person who sees that a message was read, and types it again, means a new message.
      this.#unknown.delete(event.content);
    }
    if (event.type !== 'done' && event.type !== 'error') return;
    this.#isOver = true;
    for (const messageId of event.unapplied ?? []) {
      const content = this.#pending.get(messageId);
      this.#forget(messageId);
      if (content !== undefined) this.#handlers.putBack(content);
    }
  }

  async #deliver(messageId: string, content: string): Promise<void> {
    this.#inFlight += 1;
    const state = await this.#send({ messageId, content, when: 'boundary' });
    this.#inFlight -= 1;
    if (state === 'unknown') this.#unknown.set(content, messageId);
    else this.#unknown.delete(content);
    if (state === 'unknown' && this.#pending.has(messageId)) {
      this.#forget(messageId);
      this.#handlers.putBack(content);
    }
    if (state === 'refused') this.#refused.add(messageId);
    this.#sendRefused();
  }

  /**
   * Hands back the messages that the turn has refused, together and in the order in which they were typed. One that
   * came later than the others would be sent even if the first of them has failed.
   */
  #sendRefused(): void {
    if (this.#inFlight > 0) return;
    for (const [messageId, content] of this.#pending) {
      if (!this.#refused.delete(messageId)) continue;
      this.#forget(messageId);
      if (!this.#isDropping) this.#handlers.sendNext(content);
    }
    this.#refused.clear();
  }

  #forget(messageId: string): void {
    if (this.#pending.delete(messageId)) this.#handlers.onChange();
  }
}

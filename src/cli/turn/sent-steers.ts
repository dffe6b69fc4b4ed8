import { randomUUID } from 'node:crypto';
import type { TurnMessageAnswer } from '../../contracts/http/steer-api.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { FrameViewer } from './watch-turn.ts';

/** Takes the steers that the running turn does not take. */
export interface SteerEnds {
  /** Takes a message as the next question, since the turn has ended. */
  ask(text: string): void;
  /** Puts a message back into the input line, since nobody has read it, or nobody knows. */
  putBack(text: string): void;
  /** Called when the number of messages that wait for the model has changed. */
  changed(): void;
}

/** Sends a steer, a message into the running turn; `unknown`: it may have been taken. */
export type SendSteer = (message: {
  readonly messageId: string;
  readonly content: string;
  readonly when: 'boundary' | 'now';
}) => Promise<TurnMessageAnswer['state'] | 'refused' | 'unknown'>;

/** The lines that a person types while a turn runs (docs/cli.md "The prompt line"): each message goes into the turn. */
export class SentSteers implements FrameViewer {
  readonly #send: SendSteer;
  readonly #ends: SteerEnds;
  /** Messages that were sent and not read by the model yet, by their ids. */
  readonly #waiting = new Map<string, string>();
  /**
   * Ids of messages of which nobody knows whether they were taken, by their texts: said again, they are the same
   * message.
   */
  readonly #unknown = new Map<string, string>();
  #isOver = false;
  #isDropping = false;

  constructor(send: SendSteer, ends: SteerEnds) {
    this.#send = send;
    this.#ends = ends;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Says a message into the turn; returns false when the turn has ended. */
  say(content: string): boolean {
    if (this.#isOver) return false;
    const messageId = this.#unknown.get(content) ?? randomUUID();
    this.#waiting.set(messageId, content);
    void this.#sent(messageId, content);
    return true;
  }

  /** Lets the model read at once what waits; returns false when nothing waits. */
  sendAtOnce(): boolean {
    if (this.#isOver) return false;
    const [messageId, content] = [...this.#waiting].at(-1) ?? [];
    if (messageId === undefined || content === undefined) return false;
    void this.#send({ messageId, content, when: 'now' });
    return true;
  }

  /** Drops the messages that the turn does not take: they become no next question. */
  drop(): void {
    this.#isDropping = true;
  }

  frame({ event }: { readonly event: TurnEvent }): void {
    if (event.type === 'steer') {
      this.#drop(event.messageId);
      // A person who sees that it was read, and says it again, means a new message.
      this.#unknown.delete(event.content);
    }
    if (event.type !== 'done' && event.type !== 'error') return;
    this.#isOver = true;
    for (const messageId of event.unapplied ?? []) {
      const content = this.#waiting.get(messageId);
      this.#drop(messageId);
      if (content !== undefined) this.#ends.putBack(content);
    }
  }

  async #sent(messageId: string, content: string): Promise<void> {
    const came = await this.#send({ messageId, content, when: 'boundary' });
    if (came === 'unknown') this.#unknown.set(content, messageId);
    else this.#unknown.delete(content);
    if (came === 'accepted' || came === 'queued' || !this.#waiting.has(messageId)) return;
    this.#drop(messageId);
    if (came === 'unknown') this.#ends.putBack(content);
    else if (!this.#isDropping) this.#ends.ask(content);
  }

  #drop(messageId: string): void {
    if (this.#waiting.delete(messageId)) this.#ends.changed();
  }
}

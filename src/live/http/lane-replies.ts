import type { Response } from 'express';
import type { LaneReply } from '../../contracts/wire/live-lane.ts';
import { KIB } from '../../contracts/values/units.ts';

/**
 * Milliseconds during which acknowledgements are collected, because at 50 chunks/s and 200 writers an acknowledgement
 * of each chunk would cost more than the events.
 */
const ACK_EVERY_MS = 100;
/** Number of bytes that may wait to be read by a worker. A worker that sends but never reads is cut off beyond that. */
const MAX_UNREAD_REPLY_BYTES = 256 * KIB;

/** What a gateway writes to a worker on one connection. Acknowledgements are collected and written together. */
export class LaneReplies {
  readonly #response: Response;
  readonly #onUnread: () => void;
  /** The id of the last event of each channel, if it is not acknowledged yet. */
  readonly #unacknowledged = new Map<number, string>();
  #ackTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `onUnread` is called when the worker has left too much unread. */
  constructor(response: Response, onUnread: () => void) {
    this.#response = response;
    this.#onUnread = onUnread;
  }

  /** Writes a reply, unless the replies are closed. Calls `onUnread` if too much is unread then. */
  send(reply: LaneReply): void {
    this.#write(`${JSON.stringify(reply)}\n`);
  }

  /** Answers a line without text, by which a worker asks whether the gateway is still there. */
  answerPing(): void {
    this.#write('\n');
  }

  /** Notes that the events of a channel were taken, up to `lastId`. They are acknowledged soon. */
  noteTaken(channel: number, lastId: string): void {
    this.#unacknowledged.set(channel, lastId);
    this.#ackTimer ??= setTimeout(() => this.acknowledge(), ACK_EVERY_MS).unref();
  }

  /** Drops what is not acknowledged of a channel, because its writer is gone. */
  forget(channel: number): void {
    this.#unacknowledged.delete(channel);
  }

  /** Acknowledges at once what was taken. */
  acknowledge(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    if (this.#unacknowledged.size === 0) return;
    this.send({ acks: [...this.#unacknowledged] });
    this.#unacknowledged.clear();
  }

  /** Writes nothing more from now on. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#ackTimer);
  }

  #write(text: string): void {
    if (this.#isClosed) return;
    this.#response.write(text);
    if (this.#response.writableLength > MAX_UNREAD_REPLY_BYTES) this.#onUnread();
  }
}

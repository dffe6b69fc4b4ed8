import type { EventBatch } from '../contracts/wire/event-batch.ts';
import { formatEventId } from '../contracts/wire/event-id.ts';
import { MAX_LANE_LINE_BYTES, MAX_LANE_LINE_EVENTS } from '../contracts/wire/live-lane.ts';
import type { LaneLimits } from './lane-limits.ts';

/** A batch of the live lane (`laneBatchSchema`) as JSON. */
interface BatchText {
  readonly text: string;
  /** Id of the last event in the batch. */
  readonly lastId: string;
}

/**
 * Returns a batch as the live lane carries it, cut into parts of at most `MAX_LANE_LINE_EVENTS` events. `json` is the
 * JSON of each event, if the caller has it already.
 */
export const batchTexts = (
  batch: EventBatch,
  json: readonly string[] = batch.events.map((event) => JSON.stringify(event)),
): BatchText[] => {
  const parts: BatchText[] = [];
  for (let from = 0; from < json.length; from += MAX_LANE_LINE_EVENTS) {
    parts.push(partOf(batch, from, json.slice(from, from + MAX_LANE_LINE_EVENTS)));
  }
  return parts;
};

/** Returns the part of a batch that begins with its event `from`. `json` is the JSON of the events in this part. */
const partOf = ({ epoch, seq, after }: EventBatch, from: number, json: readonly string[]): BatchText => {
  const afterField = after === undefined || from > 0 ? '' : `,"after":${JSON.stringify(after)}`;
  const text = `{"epoch":${epoch},"seq":${seq + from}${afterField},"events":[${json.join(',')}],"sentAt":${Date.now()}}`;
  return { text, lastId: formatEventId({ epoch, seq: seq + from + json.length - 1 }) };
};

/** The bytes that wait for acknowledgement in all writers of one connection, and the most that may wait. */
export interface UnacknowledgedBytes {
  bytes: number;
  readonly maxBytes: number;
}

/** One line of a writer, until it is acknowledged. */
export interface BufferedLine {
  /** One JSON line with its newline. */
  readonly text: string;
  readonly bytes: number;
  /** Id of the last event in the line, by which the line is acknowledged. */
  readonly lastId: string;
  /** When the line was published, in milliseconds of the publisher's clock. */
  readonly publishedAt: number;
}

/** Returns a line of this text. The other parameters are as in `BufferedLine`. */
export const bufferedLine = (text: string, lastId: string, publishedAt: number): BufferedLine => ({
  text,
  bytes: Buffer.byteLength(text),
  lastId,
  publishedAt,
});

/**
 * The lines of a publisher that are not acknowledged yet, oldest first, and how many of them the present connection was
 * given.
 */
export class LaneBuffer {
  readonly #limits: Pick<LaneLimits, 'maxBytes' | 'maxLines'>;
  readonly #unacknowledged: UnacknowledgedBytes;
  readonly #lines: BufferedLine[] = [];
  #bytes = 0;
  #written = 0;

  constructor(limits: Pick<LaneLimits, 'maxBytes' | 'maxLines'>, unacknowledged: UnacknowledgedBytes) {
    this.#limits = limits;
    this.#unacknowledged = unacknowledged;
  }

  /** When the oldest unacknowledged line was published, as in `publishedAt`. Undefined if there is no such line. */
  get oldestAt(): number | undefined {
    return this.#lines[0]?.publishedAt;
  }

  /**
   * Id of the last event that this connection was given. Undefined if it was given none, or if all of them are
   * acknowledged or dropped.
   */
  get lastWritten(): string | undefined {
    return this.#lines[this.#written - 1]?.lastId;
  }

  /** True when there are lines that this connection has not been given. */
  get hasUnwritten(): boolean {
    return this.#written < this.#lines.length;
  }

  /**
   * Adds a line. If the buffer then exceeds its own limits, it drops its oldest lines, but not the new one. If all
   * buffers of the connection exceed their common limit, this one drops lines, if necessary even the new one. The
   * gateway asks the durable log for what it misses.
   */
  push(line: BufferedLine): void {
    // At a longer line the gateway would end the connection, which other writers share.
    if (line.bytes > MAX_LANE_LINE_BYTES) return;
    this.#lines.push(line);
    this.#count(line.bytes);
    while (this.#lines.length > 1 && this.#isOverLimit()) this.#drop(1);
    while (this.#lines.length > 0 && this.#unacknowledged.bytes > this.#unacknowledged.maxBytes) {
      this.#drop(1);
    }
  }

  /**
   * Returns the next lines that this connection has not been given yet, and counts them as given. It takes lines until
   * they have `maxBytes` together, so the last one may go beyond.
   */
  takeUnwritten(maxBytes: number): string {
    let text = '';
    for (let bytes = 0; this.hasUnwritten && bytes < maxBytes; this.#written += 1) {
      const line = this.#lines[this.#written];
      text += line?.text ?? '';
      bytes += line?.bytes ?? 0;
    }
    return text;
  }

  /** Starts over, as `LinkWriter.rewind` says. */
  rewind(): void {
    this.#written = 0;
  }

  /**
   * Forgets all lines up to the one that ends with this event. Forgets none if that line was acknowledged or dropped
   * before.
   */
  acknowledge(lastId: string): void {
    this.#drop(this.#lines.slice(0, this.#written).findLastIndex((line) => line.lastId === lastId) + 1);
  }

  /** Forgets all lines, whether they were sent or not. */
  clear(): void {
    this.#drop(this.#lines.length);
  }

  #isOverLimit(): boolean {
    return this.#bytes > this.#limits.maxBytes || this.#lines.length > this.#limits.maxLines;
  }

  #drop(count: number): void {
    for (const { bytes } of this.#lines.splice(0, count)) this.#count(-bytes);
    this.#written = Math.max(0, this.#written - count);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#unacknowledged.bytes += bytes;
  }
}

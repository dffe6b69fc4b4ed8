import type { Response } from 'express';
import type { Clock } from '../../base/timing/clock.ts';
import { STREAM_HEARTBEAT_MS } from '../../contracts/wire/sse-pace.ts';
import { PIECE_BYTES } from '../responses/send-json.ts';
import type { UnsentBytes } from './unsent-bytes.ts';
import { MIB } from '../../contracts/values/units.ts';

/** Number of bytes waiting in one stream at which `send` returns false. */
const MAX_BUFFERED_BYTES = MIB;

/**
 * Shortest pause, in milliseconds, after which a client of a gateway that stops comes back. Another gateway may be
 * there already, and a supervisor restarts this one within a second. `RESUME_SPREAD_MS` is the most that is added at
 * random.
 */
const RESUME_MS = 250;
const RESUME_SPREAD_MS = 1_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // Without this header nginx would collect the response before it passes it on.
  'X-Accel-Buffering': 'no',
};

/**
 * One SSE response. Frames that are sent in one callback leave together once that callback has ended, in writes of at
 * most `PIECE_BYTES`. Once the client has left, every method does nothing.
 */
export interface SseStream {
  /**
   * Sends a frame. Returns false when enough is waiting: this frame is still sent, but the caller must wait for
   * `whenDrained` before the next one.
   */
  send(frame: Buffer): boolean;
  /** Calls `run` once, when nothing is waiting any longer. Only the last `run` that was given counts. */
  whenDrained(run: () => void): void;
  /** Calls `run` once, when the stream is closed by either side. */
  onClose(run: () => void): void;
  /**
   * Ends the stream once everything that waits is sent. If the gateway stops, the client is told to resume after a
   * short pause.
   */
  end(): void;
}

export interface SseStreamDeps {
  readonly clock: Pick<Clock, 'every'>;
  readonly closing: AbortSignal;
  readonly unsent: UnsentBytes;
}

/**
 * Turns a response into an event stream. Sends the headers at once, and then a heartbeat every `STREAM_HEARTBEAT_MS`
 * unless frames wait.
 */
export const openSseStream = (res: Response, deps: SseStreamDeps): SseStream => {
  res.socket?.setNoDelay(true);
  res.writeHead(200, HEADERS).flushHeaders();
  return new ResponseStream(res, deps);
};

const HEARTBEAT = Buffer.from(': hb\n\n');

class ResponseStream implements SseStream {
  readonly #res: Response;
  readonly #deps: SseStreamDeps;
  #frames: Buffer[] = [];
  #waiting = 0;
  #inFlight = 0;
  /** True when a write will follow as soon as the running callback has ended. */
  #isDue = false;
  #isEnding = false;
  #onDrained: (() => void) | undefined;

  constructor(res: Response, deps: SseStreamDeps) {
    this.#res = res;
    this.#deps = deps;
    this.send(Buffer.from('retry: 1000\n\n'));
    // A client that is behind gets its events before any heartbeat.
    const stopHeartbeat = deps.clock.every(
      STREAM_HEARTBEAT_MS,
      () => this.#waiting > 0 || this.send(HEARTBEAT),
    );
    res.once('close', () => {
      stopHeartbeat();
      deps.unsent.close();
      this.#frames = [];
    });
  }

  send(frame: Buffer): boolean {
    if (!this.#res.writable || this.#isEnding) return true;
    this.#frames.push(frame);
    this.#waiting += frame.length;
    this.#deps.unsent.add(frame.length);
    this.#scheduleWrite();
    // Even if all streams of the client together are full, one piece may wait in each, so that each of them goes on.
    return this.#waiting < MAX_BUFFERED_BYTES && !(this.#waiting > PIECE_BYTES && this.#deps.unsent.isFull);
  }

  whenDrained(run: () => void): void {
    this.#onDrained = run;
  }

  onClose(run: () => void): void {
    this.#res.once('close', run);
  }

  end(): void {
    this.#isEnding = true;
    if (this.#waiting === 0) this.#finish();
  }

  #scheduleWrite(): void {
    if (this.#isDue || this.#inFlight > 0) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.#frames.length > 0) this.#write();
    });
  }

  #write(): void {
    const piece = takePiece(this.#frames);
    this.#inFlight = piece.length;
    this.#res.write(piece, this.#onWritten);
  }

  readonly #onWritten = (error?: Error | null): void => {
    // The client has left. The listener of `close` takes what waits off the account of the client.
    if (error || this.#res.destroyed) return;
    this.#waiting -= this.#inFlight;
    this.#deps.unsent.add(-this.#inFlight);
    this.#inFlight = 0;
    if (this.#frames.length > 0) this.#write();
    else if (this.#isEnding) this.#finish();
    else this.#callOnDrained();
  };

  #callOnDrained(): void {
    const run = this.#onDrained;
    this.#onDrained = undefined;
    run?.();
  }

  #finish(): void {
    this.#res.end(this.#deps.closing.aborted ? resumeLine() : undefined);
  }
}

/**
 * Removes and returns the first piece: as many whole frames as fit, or the beginning of the first frame if that does
 * not.
 */
const takePiece = (frames: Buffer[]): Buffer => {
  let bytes = 0;
  let count = 0;
  for (const frame of frames) {
    if (bytes + frame.length > PIECE_BYTES) break;
    bytes += frame.length;
    count += 1;
  }
  if (count > 1) return Buffer.concat(frames.splice(0, count), bytes);
  const [first = Buffer.alloc(0)] = frames;
  if (count === 1) frames.shift();
  else frames[0] = first.subarray(PIECE_BYTES);
  return first.subarray(0, PIECE_BYTES);
};

/**
 * Returns the line that tells a client when to resume. All clients of a gateway that stops come back, but not at the
 * same moment.
 */
const resumeLine = (): string => `retry: ${RESUME_MS + Math.round(Math.random() * RESUME_SPREAD_MS)}\n\n`;

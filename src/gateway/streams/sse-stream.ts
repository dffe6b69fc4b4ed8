import type { Response } from 'express';
import type { Clock } from '../../base/timing/clock.ts';
import { STREAM_HEARTBEAT_MS } from '../../contracts/wire/sse-pace.ts';
import { PIECE_BYTES } from '../requests/send-json.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

/** Bytes that may wait for one client. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * Milliseconds before a client comes back: another gateway is there already, and one that restarts is back within a
 * second.
 */
const RESUME_MS = 250;
const RESUME_SPREAD_MS = 1_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // Without this nginx would collect the answer before it passes it on.
  'X-Accel-Buffering': 'no',
};

/**
 * One SSE answer. Frames that one callback sends leave together, as soon as it has ended: where the event loop is
 * behind a lane, that is all that has piled up. After its client has left, every method does nothing.
 */
export interface SseStream {
  /**
   * Sends a frame. Returns false when enough is waiting: this frame is still sent, but the next one must wait for
   * `whenDrained`.
   */
  send(frame: Buffer): boolean;
  /** Calls `run` once when nothing is waiting any longer. */
  whenDrained(run: () => void): void;
  /** Calls `run` once when the stream is over, whoever ended it. */
  onClose(run: () => void): void;
  /**
   * Ends the stream after what is waiting. If the gateway stops, the client is asked to resume elsewhere after a pause.
   */
  end(): void;
}

export interface SseStreamDeps {
  readonly clock: Pick<Clock, 'every'>;
  readonly closing: AbortSignal;
  readonly unsent: UnsentBytes;
}

/** Turns an answer into an event stream: sends the headers at once, and keeps the connection alive. */
export const openSseStream = (res: Response, deps: SseStreamDeps): SseStream => {
  res.socket?.setNoDelay(true);
  res.writeHead(200, HEADERS).flushHeaders();
  return new Stream(res, deps);
};

const HEARTBEAT = Buffer.from(': hb\n\n');

class Stream implements SseStream {
  readonly #res: Response;
  readonly #deps: SseStreamDeps;
  #frames: Buffer[] = [];
  #waiting = 0;
  #inFlight = 0;
  /** True when a write follows as soon as the running callback has ended. */
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
    this.#wants();
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

  #wants(): void {
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
    // Cut off: `close` returns the rest.
    if (error || this.#res.destroyed) return;
    this.#waiting -= this.#inFlight;
    this.#deps.unsent.add(-this.#inFlight);
    this.#inFlight = 0;
    if (this.#frames.length > 0) this.#write();
    else if (this.#isEnding) this.#finish();
    else this.#drained();
  };

  #drained(): void {
    const run = this.#onDrained;
    this.#onDrained = undefined;
    run?.();
  }

  #finish(): void {
    this.#res.end(this.#deps.closing.aborted ? resumeSoon() : undefined);
  }
}

/** Removes the first piece: whole frames if they fit, otherwise a part of the first. */
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

/** Tells clients when to resume: all clients of a gateway that stops come back, but not at the same moment. */
const resumeSoon = (): string => `retry: ${RESUME_MS + Math.round(Math.random() * RESUME_SPREAD_MS)}\n\n`;

import type { Response } from 'express';
import type { Timers } from '../timers.ts';

const HEARTBEAT_MS = 15_000;
/** A client that takes nothing of a full buffer for this long is gone or stuck; it can resume. */
const STALL_MS = 30_000;
/** Bytes that may wait for one client. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Another gateway is there already, and one that restarts is back within a second. */
const RESUME_MS = 250;
const RESUME_SPREAD_MS = 1_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // nginx would otherwise collect the answer before it passes it on.
  'X-Accel-Buffering': 'no',
};

/** One SSE answer. After its client has left every method does nothing. */
export interface SseStream {
  /** False: the buffer is full. The frame still goes out, but the next must wait for `whenDrained`. */
  send(frame: Buffer): boolean;
  /** Calls `run` once when the buffer is empty again; closes the connection if that takes too long. */
  whenDrained(run: () => void): void;
  /** Calls `run` once when the stream is over, whoever ended it. */
  onClose(run: () => void): void;
  /** Of a gateway that stops: the client resumes elsewhere, after a pause that is told. */
  end(): void;
}

/** Turns an answer into an event stream: sends the headers at once and keeps the connection alive. */
export const openSseStream = (res: Response, timers: Timers, closing: AbortSignal): SseStream => {
  res.socket?.setNoDelay(true);
  res.writeHead(200, HEADERS).flushHeaders();
  res.write('retry: 1000\n\n');
  // A client that is behind gets its events before any sign of life.
  const stopHeartbeat = timers.every(HEARTBEAT_MS, () => res.writableNeedDrain || res.write(': hb\n\n'));
  res.once('close', stopHeartbeat);
  return {
    send: (frame) => {
      if (!res.writable) return true;
      res.write(frame);
      return res.writableLength < MAX_BUFFERED_BYTES;
    },
    whenDrained: (run) => awaitDrain(res, timers, run),
    onClose: (run) => void res.once('close', run),
    end: () => void res.end(closing.aborted ? resumeSoon() : undefined),
  };
};

/** All clients of a gateway that stops come back; not all of them at the same moment. */
const resumeSoon = (): string => `retry: ${RESUME_MS + Math.round(Math.random() * RESUME_SPREAD_MS)}\n\n`;

const awaitDrain = (res: Response, timers: Timers, run: () => void): void => {
  const cancelStall = timers.after(STALL_MS, () => res.destroy());
  // Waiting for `drain` alone would never settle when the client leaves.
  res.once('close', cancelStall);
  res.once('drain', () => {
    cancelStall();
    res.off('close', cancelStall);
    run();
  });
};

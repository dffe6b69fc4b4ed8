/* Reads the native stream of a turn to its end, and resumes it after every cut (docs/http-api.md "Resuming"). */
import { createParser } from 'eventsource-parser';
import { type EventId, formatEventId } from '../../contracts/wire/event-id.ts';
import { STREAM_SILENCE_MS } from '../../contracts/wire/sse-pace.ts';
import { abortAfter } from '../http/abort-after.ts';
import { type Failure, readFailure } from '../http/request-failure.ts';
import { StreamBuffer } from './stream-buffer.ts';
import type { StreamTurnOptions } from './turn-stream-reader.ts';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;
/** Codes of failures after which the stream is requested again. All other failures are final. */
const TRANSIENT_CODES = new Set<Failure['code']>([
  'unreachable',
  'rate_limited',
  'too_many_streams',
  'overloaded',
  'temporal_unavailable',
  'database_unavailable',
  'request_timeout',
]);

/**
 * Reads a turn until it has ended and all its events were handed over. Resolves to undefined then, or once `signal`
 * aborts, and to the failure if the turn cannot be read. Never rejects.
 */
export const streamTurn = async (options: StreamTurnOptions): Promise<Failure | undefined> => {
  const { signal } = options;
  let after = options.after;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const stream = await readStream(options, after);
    if (stream.lastId !== after) pause = FIRST_PAUSE_MS;
    after = stream.lastId;
    if (stream.isOver || signal.aborted) return undefined;
    if (stream.failure && !TRANSIENT_CODES.has(stream.failure.code)) return stream.failure;
    options.onCut();
    await waitFor(Math.max(pause, stream.failure?.retryAfterMs ?? 0), signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
  return undefined;
};

const readStream = async (
  { turnId, signal, onEvents, onOutput }: StreamTurnOptions,
  after: EventId | null,
): Promise<StreamBuffer> => {
  const buffer = new StreamBuffer(after, onOutput);
  const parser = createParser({ onEvent: (message) => buffer.push(message) });
  const silence = abortAfter(STREAM_SILENCE_MS);
  try {
    const headers: HeadersInit = after === null ? {} : { 'Last-Event-ID': formatEventId(after) };
    const response = await fetch(`/api/turns/${encodeURIComponent(turnId)}/events`, {
      headers,
      signal: AbortSignal.any([signal, silence.signal]),
    });
    // The turn has ended, and no event comes after `after`.
    if (response.status === 204) buffer.isOver = true;
    else if (!response.ok || !response.body) buffer.failure = await readFailure(response);
    if (buffer.isOver || buffer.failure || !response.body) return buffer;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      silence.restart();
      parser.feed(part.value);
      const arrived = buffer.drain();
      if (arrived.length > 0) onEvents(arrived);
      if (buffer.failure) await reader.cancel();
    }
  } catch {
    // The stream was cut or silent or could not be requested, or `signal` has aborted. What has come until then counts.
  } finally {
    silence.end();
  }
  return buffer;
};

/** Waits for a time. Ends early when `signal` aborts or the machine has a network again. */
const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });

import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { LF, CR } from '../../base/text/ascii.ts';
import type { McpTransportSettings } from '../../config/files/mcp-servers.ts';
import { MessageMeter } from './message-meter.ts';
import { ReadSincePause, type ReadingThrottle, createReadingThrottle } from './reading-throttle.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface TransportDeps {
  /** Takes the text that a local server writes to its stderr. */
  readonly onStderr: (text: string) => void;
  /**
   * Called when a message in a stream exceeds the limits of `MessageMeter`, after which the stream is read no further.
   * A request whose answer it was gets none.
   */
  readonly onCut: (reason: Error) => void;
  /** True during the handshake. */
  readonly isHandshake: () => boolean;
}

/** Creates a transport, and opens nothing yet: `Client.connect` starts it. */
export const createMcpTransport = (settings: McpTransportSettings, deps: TransportDeps): Transport => {
  const throttle = createReadingThrottle();
  switch (settings.kind) {
    case 'stdio':
      return new StdioTransport(settings, { ...deps, throttle, meter: new MessageMeter(deps.isHandshake) });
    case 'http':
      return new StreamableHTTPClientTransport(
        new URL(settings.url),
        httpOptions(settings.headers, throttle, deps),
      );
    case 'sse':
      return new SSEClientTransport(new URL(settings.url), httpOptions(settings.headers, throttle, deps));
    default:
      return settings satisfies never;
  }
};

const httpOptions = (
  headers: Readonly<Record<string, string>>,
  throttle: ReadingThrottle,
  deps: TransportDeps,
) => ({
  requestInit: { headers: { ...headers } },
  fetch: limitedFetch(throttle, deps),
});

/**
 * Creates a `fetch` whose bodies are limited by `MessageMeter`: a stream of events event by event, any other body as
 * one message. The SDK handles redirects. It follows them only within the server's origin, since configured headers may
 * hold keys.
 */
const limitedFetch =
  (throttle: ReadingThrottle, { isHandshake, onCut }: TransportDeps): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const meter = new MessageMeter(isHandshake);
    const limit = isStream
      ? limitEvents(meter, throttle, onCut, init?.signal ?? undefined)
      : limitBody(meter);
    return new Response(response.body.pipeThrough(limit), response);
  };

/** Limits a body that is one message. Whoever reads it gets the error. */
const limitBody = (meter: MessageMeter): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) meter.count(byte);
      meter.check();
      controller.enqueue(chunk);
    },
  });

/**
 * Limits a stream of events. The stream may live as long as it likes, but each event, up to its blank line, must be
 * small. The SDK does not report a stream that is cut off, so `onCut` does. `signal` ends the stream. Without it, what
 * has arrived would still be read at the pace of the throttle, for many seconds.
 */
const limitEvents = (
  meter: MessageMeter,
  throttle: ReadingThrottle,
  onCut: (reason: Error) => void,
  signal: AbortSignal | undefined,
): TransformStream<Uint8Array, Uint8Array> => {
  const portions = new EventPortions(meter);
  return new TransformStream({
    async transform(chunk, controller) {
      try {
        for (let from = 0; from < chunk.length;) {
          const to = portions.endOfNext(chunk, from);
          controller.enqueue(chunk.subarray(from, to));
          from = to;
          if (!portions.isFull) continue;
          portions.reset();
          await throttle(signal);
        }
      } catch (error) {
        if (error instanceof Error && signal?.aborted !== true) onCut(error);
        throw error;
      }
    },
  });
};

/** Cuts the bytes of a stream of events into portions, and counts the bytes of each event. */
class EventPortions {
  readonly #meter: MessageMeter;
  readonly #portion = new ReadSincePause();
  #isLineBlank = true;

  constructor(meter: MessageMeter) {
    this.#meter = meter;
  }

  get isFull(): boolean {
    return this.#portion.isFull;
  }

  /** Begins the next portion. */
  reset(): void {
    this.#portion.reset();
  }

  /**
   * Counts the bytes of the chunk until the portion is full. Returns the index after the last counted byte. Throws what
   * the meter throws for an event that is too large.
   */
  endOfNext(chunk: Uint8Array, from: number): number {
    let index = from;
    for (; index < chunk.length && !this.isFull; index += 1) this.#count(chunk[index] ?? LF);
    this.#meter.check();
    return index;
  }

  #count(byte: number): void {
    this.#meter.count(byte);
    this.#portion.addByte();
    if (byte === LF && this.#isLineBlank) {
      this.#meter.endMessage();
      this.#portion.addMessage();
    }
    // No known server ends a line with only a CR, and CR LF ends one line.
    if (byte !== CR) this.#isLineBlank = byte === LF;
  }
}

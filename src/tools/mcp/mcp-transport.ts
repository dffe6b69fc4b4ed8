import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { LF, CR } from '../../base/text/ascii.ts';
import type { McpTransportSettings } from '../../config/files/mcp-servers.ts';
import { MessageMeter } from './message-meter.ts';
import { ReadSincePause, type ReadingPace, readingPace } from './reading-pace.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface TransportDeps {
  /** Takes the text that a local server writes to its stderr. */
  readonly onStderr: (text: string) => void;
  /** A message was too large to be read; if it was an answer, its request gets none. */
  readonly onCut: (reason: Error) => void;
  /** Whether the handshake still goes on. */
  readonly isGreeting: () => boolean;
}

/** Opens nothing yet: `Client.connect` starts the transport. */
export const createMcpTransport = (settings: McpTransportSettings, deps: TransportDeps): Transport => {
  const pace = readingPace();
  switch (settings.kind) {
    case 'stdio':
      return new StdioTransport(settings, { ...deps, pace, meter: new MessageMeter(deps.isGreeting) });
    case 'http':
      return new StreamableHTTPClientTransport(
        new URL(settings.url),
        httpOptions(settings.headers, pace, deps),
      );
    case 'sse':
      return new SSEClientTransport(new URL(settings.url), httpOptions(settings.headers, pace, deps));
    default:
      return settings satisfies never;
  }
};

const httpOptions = (headers: Readonly<Record<string, string>>, pace: ReadingPace, deps: TransportDeps) => ({
  requestInit: { headers: { ...headers } },
  fetch: limitedFetch(pace, deps),
});

/**
 * A body that never ends, or a single message of gigabytes, is cut with an error. Redirects are the SDK's: it follows
 * them within the server's origin alone, since configured headers may hold keys.
 */
const limitedFetch =
  (pace: ReadingPace, { isGreeting, onCut }: TransportDeps): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const meter = new MessageMeter(isGreeting);
    const limit = isStream ? limitEvents(meter, pace, onCut) : limitBody(meter);
    return new Response(response.body.pipeThrough(limit), response);
  };

/** A body is one message, and its error comes to whoever reads it. */
const limitBody = (meter: MessageMeter): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) meter.count(byte);
      meter.check();
      controller.enqueue(chunk);
    },
  });

/**
 * A stream may live as long as it likes; it is the single event, up to its blank line, that must stay small. The SDK
 * tells nobody of a stream that breaks off, so `onCut` does.
 */
const limitEvents = (
  meter: MessageMeter,
  pace: ReadingPace,
  onCut: (reason: Error) => void,
): TransformStream<Uint8Array, Uint8Array> => {
  const portion = new ReadSincePause();
  let lineIsBlank = true;
  const count = (byte: number): void => {
    meter.count(byte);
    portion.addByte();
    if (byte === LF && lineIsBlank) {
      meter.endMessage();
      portion.addMessage();
    }
    // A CR alone ends a line for no server that is known, and CR LF is one end.
    if (byte !== CR) lineIsBlank = byte === LF;
  };
  /** Index after the last byte that may be read at once. */
  const portionOf = (chunk: Uint8Array, from: number): number => {
    let at = from;
    for (; at < chunk.length && !portion.isFull; at += 1) count(chunk[at] ?? LF);
    meter.check();
    return at;
  };
  return new TransformStream({
    async transform(chunk, controller) {
      try {
        for (let from = 0; from < chunk.length;) {
          const to = portionOf(chunk, from);
          controller.enqueue(chunk.subarray(from, to));
          from = to;
          if (!portion.isFull) continue;
          portion.empty();
          await pace();
        }
      } catch (error) {
        if (error instanceof Error) onCut(error);
        throw error;
      }
    },
  });
};

import { setTimeout as delay } from 'node:timers/promises';
import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FetchLike, Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpTransportSettings } from '../../config/mcp-servers.ts';

/**
 * Largest message of a server: beyond it the connection is closed, before it can fill the worker's memory. Reading one
 * of this size as JSON keeps the event loop for at most 0.1 s.
 */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

export interface TransportDeps {
  /** Lines that a server writes to its stderr. */
  readonly onStderr: (text: string) => void;
  /** A message was larger than `MAX_MESSAGE_BYTES`: the connection is about to close for that. */
  readonly onTooLarge: () => void;
}

/** Opens nothing yet: `Client.connect` starts the transport. */
export const createMcpTransport = (settings: McpTransportSettings, deps: TransportDeps): Transport => {
  switch (settings.kind) {
    case 'stdio':
      return stdioTransport(settings, deps);
    case 'http':
      return new StreamableHTTPClientTransport(new URL(settings.url), httpOptions(settings.headers));
    case 'sse':
      return new SSEClientTransport(new URL(settings.url), httpOptions(settings.headers));
    default:
      return settings satisfies never;
  }
};

/** The SDK has no class for it. */
const OVERFLOW = /^ReadBuffer exceeded maximum size/;

/** The server sees its own variables and the harmless ones of a login, never the worker's keys. */
const stdioTransport = (
  { command, args, env, cwd }: McpTransportSettings & { kind: 'stdio' },
  { onStderr, onTooLarge }: TransportDeps,
): Transport => {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  // eslint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
  transport.onerror = (error) => {
    // Otherwise it is read on for seconds, until it has ended politely: the worker is busy with nothing else.
    if (!OVERFLOW.test(error.message)) return;
    onTooLarge();
    if (transport.pid !== null) kill(transport.pid);
  };
  // Read all the same: a server blocks when nobody empties its stderr.
  transport.stderr?.on('data', (data: Buffer) => onStderr(data.toString('utf8')));
  return transport;
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};

const httpOptions = (headers: Readonly<Record<string, string>>) => ({
  requestInit: { headers: { ...headers } },
  fetch: limitedFetch(eventPace()),
});

/**
 * A body that never ends, or a single message of gigabytes, is cut with an error. Redirects are the SDK's: it follows
 * them within the server's origin alone, since configured headers may hold keys.
 */
const limitedFetch =
  (pace: Pace): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const body = response.body.pipeThrough(isStream ? limitMessages(pace) : limitBytes());
    return new Response(body, response);
  };

/** Events, and bytes of them, that are read before everything else of the worker has its turn. */
const EVENTS_AT_ONCE = 50;
const BYTES_AT_ONCE = 1_048_576;
const PAUSE_MS = 50;

/** Resolves when the next portion of a server's events may be read. */
type Pace = () => Promise<void>;

/**
 * 1,000 events and 20 MiB a second for all streams of a server together: the SDK reads one event after the other, and a
 * server that sends small ones without end would keep the worker at nothing else.
 */
const eventPace = (): Pace => {
  let free = 0;
  return () => {
    const now = performance.now();
    free = Math.max(now, free) + PAUSE_MS;
    return delay(free - now);
  };
};

const tooLarge = (): Error =>
  new Error(`expected a message of at most ${MAX_MESSAGE_BYTES} bytes, received more`);

const limitBytes = (): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > MAX_MESSAGE_BYTES) throw tooLarge();
      controller.enqueue(chunk);
    },
  });
};

const LF = 0x0a;
const CR = 0x0d;

/** Counts what may be read at once, and the length of the event that has not ended. */
const eventCounter = () => {
  let lineIsBlank = true;
  const counter = {
    sinceBlankLine: 0,
    events: 0,
    bytes: 0,
    isFull: () => counter.events >= EVENTS_AT_ONCE || counter.bytes >= BYTES_AT_ONCE,
    /** Index after the last byte that may be read at once. */
    portionOf(chunk: Uint8Array, from: number): number {
      let at = from;
      while (at < chunk.length && !counter.isFull()) {
        const byte = chunk[at];
        at += 1;
        counter.bytes += 1;
        counter.sinceBlankLine += 1;
        if (byte === LF && lineIsBlank) {
          counter.sinceBlankLine = 0;
          counter.events += 1;
        }
        // A CR alone ends a line for no server that is known, and CR LF is one end.
        if (byte !== CR) lineIsBlank = byte === LF;
      }
      return at;
    },
  };
  return counter;
};

/** A stream may live as long as it likes; it is the single event, up to its blank line, that must stay small. */
const limitMessages = (pace: Pace): TransformStream<Uint8Array, Uint8Array> => {
  const counter = eventCounter();
  return new TransformStream({
    async transform(chunk, controller) {
      for (let from = 0; from < chunk.length;) {
        const to = counter.portionOf(chunk, from);
        if (counter.sinceBlankLine > MAX_MESSAGE_BYTES) throw tooLarge();
        controller.enqueue(chunk.subarray(from, to));
        from = to;
        if (!counter.isFull()) continue;
        counter.events = 0;
        counter.bytes = 0;
        await pace();
      }
    },
  });
};

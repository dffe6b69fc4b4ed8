import { connect } from 'node:net';

export interface RawRequest {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  /** Headers that are written as they are, `Host` included; a `Connection` header must contain `close`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to a raw request; `status` is undefined when what came, if anything, was no HTTP. */
export interface RawAnswer {
  readonly status: number | undefined;
  /** The status line and the headers as they came. */
  readonly head: string;
  readonly body: string;
}

const SILENCE_MS = 20_000;

/**
 * Sends one HTTP/1.1 request by hand, with headers that no client library would send; reads until the server closes.
 */
export const rawRequest = async ({ port, method, path, headers, body }: RawRequest): Promise<RawAnswer> => {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => undefined);
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  const lines = Object.entries({ Connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`);
  // `once` would reject when a server resets the connection that it refused.
  await new Promise((resolve) => socket.once('close', resolve));
  const text = Buffer.concat(parts).toString('utf8');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  return {
    status: status === undefined ? undefined : Number(status),
    head: text.slice(0, text.indexOf('\r\n\r\n')),
    body: text.slice(text.indexOf('\r\n\r\n') + 4),
  };
};

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

/** Bytes that came together, and when (`performance.now()`). */
export interface Arrival {
  readonly text: string;
  readonly at: number;
}

/** One open stream of Server-Sent Events whose bytes are kept as they came. */
export interface Viewer {
  /** `performance.now()` just before the request was sent. */
  readonly askedAt: number;
  readonly arrivals: readonly Arrival[];
  readonly ended: Promise<void>;
  close(): void;
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

const openOne = async (url: string, headers: Readonly<Record<string, string>>): Promise<Viewer> => {
  const askedAt = performance.now();
  const sent = get(url, { agent, headers });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`viewer: expected 200, received ${response.statusCode}`);
  const arrivals: Arrival[] = [];
  response.setEncoding('utf8');
  response.on('data', (text: string) => arrivals.push({ text, at: performance.now() }));
  // A gateway that was killed cuts the stream, which is part of what is measured.
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => resolve());
  });
  return { askedAt, arrivals, ended, close: () => response.destroy() };
};

/** So many viewers at once; rejects when one is refused. */
export const openViewers = (
  count: number,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Viewer[]> => Promise.all(Array.from({ length: count }, () => openOne(url, headers)));

import { createParser } from 'eventsource-parser';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { readLags } from './timed-text.ts';

/** Bytes that arrived together, and the value of `performance.now()` at that time. */
export interface Arrival {
  readonly text: string;
  readonly at: number;
}

/** One open stream of Server-Sent Events whose bytes are kept as they arrived. */
export interface Viewer {
  /** The value of `performance.now()` just before the request was sent. */
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
  // A gateway that is killed cuts the stream off, which is a part of what is measured.
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => resolve());
  });
  return { askedAt, arrivals, ended, close: () => response.destroy() };
};

/** Opens `count` streams at once; rejects when one of them is refused. */
export const openViewers = (
  count: number,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Viewer[]> => Promise.all(Array.from({ length: count }, () => openOne(url, headers)));

/** Returns the model's text in one native frame. */
export const textOfEvent = (data: string): string => {
  const frame = JSON.parse(data) as { type: string; content?: string; notice?: string };
  return frame.type === 'chunk' && frame.notice === undefined ? (frame.content ?? '') : '';
};

/** Returns the text in the frames of a stream, each piece with the time at which its bytes arrived. */
export const textOf = (arrivals: Viewer['arrivals'], read: (data: string) => string) => {
  const pieces: { text: string; at: number }[] = [];
  let at = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      const text = read(data);
      if (text !== '') pieces.push({ text, at });
    },
  });
  for (const arrival of arrivals) {
    at = arrival.at;
    parser.feed(arrival.text);
  }
  return pieces;
};

/** Returns the lags of all timed chunks that arrived at the viewers, once their streams have ended. */
export const lagsOf = async (
  viewers: readonly Viewer[],
  read: (data: string) => string,
): Promise<number[]> => {
  await Promise.all(viewers.map(({ ended }) => ended));
  return viewers.flatMap(({ arrivals }) => readLags(textOf(arrivals, read)));
};

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './attack.ts';

/** Opens a connection that sends `bytes` and reads nothing until the attack ends. */
export const openUnreadSocket = ({ baseUrl }: Target, bytes: string, signal: AbortSignal): Socket => {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  socket.on('connect', () => socket.write(bytes));
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  return socket;
};

/** Returns a request line with headers and the attacker's key; the caller adds whatever should follow it. */
export const requestHead = ({ baseUrl, key }: Target, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, `Host: ${new URL(baseUrl).host}`, `Authorization: Bearer ${key}`, ...headers].join(
    '\r\n',
  );

/** Sends a request with the attacker's key and reads the answer; resolves to undefined when there was none. */
export const send = async (
  { baseUrl, key }: Target,
  signal: AbortSignal,
  path: string,
  init: { readonly method?: string; readonly json?: unknown; readonly body?: string } = {},
): Promise<Response | undefined> => {
  const body = init.json === undefined ? init.body : JSON.stringify(init.json);
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': init.json === undefined ? 'text/plain' : 'application/json',
  };
  try {
    return await fetch(`${baseUrl}${path}`, {
      method: init.method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      signal,
      ...(body !== undefined && { body }),
    });
  } catch {
    return undefined;
  }
};

/** Resolves when the attack is to end. */
export const untilAborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

/** Runs `count` loops at once; each of them repeats its work until the attack ends. */
export const runLoops = async (
  count: number,
  signal: AbortSignal,
  work: (round: number) => Promise<unknown>,
): Promise<void> => {
  const loop = async (): Promise<void> => {
    for (let round = 0; !signal.aborted; round += 1) {
      await work(round).catch(() => undefined);
      // Without a pause, a gateway that refuses at once would turn this into a benchmark of the attacker.
      await delay(5);
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
};

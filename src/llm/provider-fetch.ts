import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';
import { errnoOf } from '../base/errors/errno.ts';
import { KIB } from '../contracts/values/units.ts';

/**
 * Time in milliseconds within which a kept connection turns out to be dead. If it takes longer, the server may have
 * read the request.
 */
const STALE_WITHIN_MS = 500;
const MAX_ERROR_CHARACTERS = 64 * KIB;
/** Time in milliseconds to wait for the body of a refusal. */
const ERROR_PATIENCE_MS = 2_000;
const REDIRECTED = JSON.stringify({
  error: { message: 'expected a chat completion, received a redirect; set the address that it leads to' },
});
/** HTTP status of an answer that has no body (RFC 9110, 15.4.5) and is of no use in reply to a POST. */
const NOT_MODIFIED = 304;

/** The body of each good answer (status 2xx), for `bodyOf`. */
const bodies = new WeakMap<Response, IncomingMessage>();
const socketsWithListener = new WeakSet<Socket>();

/**
 * Sends a request for the openai client as `fetch` does, but over `node:http`.
 *
 * - The body of a good answer stays the stream of its socket, which gives a chunk in the tick that read it. The body of
 *   the global `fetch` delivers it several microtasks later.
 * - It takes what the openai client sends: an address, headers, a text and a signal.
 * - It follows no redirect, which would lose the key or the body.
 * - It rejects with the error of the socket, with the signal's reason, or for a status outside of 200 to 599.
 */
export const fetchFromProvider = async (
  address: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> => {
  const url = new URL(address instanceof Request ? address.url : address);
  return makeResponse(await sendToProvider(url, init));
};

/** Returns the body of a good answer that `fetchFromProvider` gave. Throws for any other response. */
export const bodyOf = (response: Response): IncomingMessage => {
  const body = bodies.get(response);
  if (!body) throw new Error('expected a good answer of fetchFromProvider');
  return body;
};

/**
 * Sends a request. Kept connections die without notice, so a request is repeated if its connection was probably dead
 * before the request used it (`watchStale`). Each dead connection leaves the pool, so the last try has a new one.
 * Rejects with the error of the socket, or with the signal's reason.
 */
const sendToProvider = async (url: URL, init: RequestInit): Promise<IncomingMessage> => {
  for (;;) {
    const sent = open(url, init);
    const isStale = watchStale(sent);
    try {
      return await receiveResponse(sent, init);
    } catch (error) {
      if (init.signal?.aborted || !isStale(error)) throw error;
    }
  }
};

/**
 * Returns a function that reports whether a request failed because its kept connection was probably dead before the
 * request used it. Signs of this are a quick reset and no byte of a response.
 */
const watchStale = (sent: ClientRequest): ((error: unknown) => boolean) => {
  const since = performance.now();
  let bytesBefore = 0;
  sent.once('socket', (socket) => (bytesBefore = socket.bytesRead));
  return (error) =>
    sent.reusedSocket &&
    errnoOf(error) === 'ECONNRESET' &&
    sent.socket?.bytesRead === bytesBefore &&
    performance.now() - since < STALE_WITHIN_MS;
};

const receiveResponse = (sent: ClientRequest, { body, signal }: RequestInit): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('socket', addErrorListener);
    sent.once('response', resolve);
    // Also handles errors that follow the response, which the body reports.
    sent.on('error', reject);
    // This is the only event of a connection that was switched to another protocol.
    sent.once('close', () => reject(new Error('the connection was closed without an answer')));
    // While a proxy is asked for a tunnel, the agent does not report an abort.
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    sent.end(body);
  });

/**
 * Adds a listener for errors of a socket, once. Node removes its own in the tick in which an answer ends, and an abort
 * in that tick would end the process.
 */
const addErrorListener = (socket: Socket): void => {
  if (socketsWithListener.has(socket)) return;
  socketsWithListener.add(socket);
  socket.on('error', () => undefined);
};

const open = (url: URL, { method = 'GET', headers, body, signal }: RequestInit): ClientRequest => {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
  return request(url, {
    method,
    // Without this header an answer may come in any encoding (RFC 9110, 12.5.3).
    headers: { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(headers)), ...length },
    ...(signal && { signal }),
  });
};

const makeResponse = async (message: IncomingMessage): Promise<Response> => {
  const { statusCode: status = 0 } = message;
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '');
  }
  if (status >= 200 && status < 300) {
    const response = new Response(null, { status, headers });
    bodies.set(response, message);
    return response;
  }
  const words = status < 400 ? REDIRECTED : await readErrorText(message);
  if (status < 400) message.destroy();
  if (status < 300 || status > 599) throw new Error(`it answered with the HTTP status ${status}`);
  return new Response(status === NOT_MODIFIED ? null : words, { status, headers });
};

/**
 * Reads the text of a refusal, as far as it is useful. A body without an end must not fill the memory of the worker,
 * and a body that does not come must not hide the status.
 */
const readErrorText = (message: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const decoder = new TextDecoder();
    const stop = (): void => void message.destroy();
    const timer = setTimeout(stop, ERROR_PATIENCE_MS);
    message.on('data', (bytes: Buffer) => {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > MAX_ERROR_CHARACTERS) stop();
    });
    finished(message, () => {
      clearTimeout(timer);
      resolve(text.slice(0, MAX_ERROR_CHARACTERS));
    });
  });

import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

const bodies = new WeakMap<Response, IncomingMessage>();

/**
 * `fetch` for the openai client, over `node:http`: the body of a good answer stays the stream of its socket, which
 * gives a chunk in the tick that read it; that of `fetch` gives it some promises later. Takes what that client
 * sends (an address, headers, a text, a signal) and follows no redirect, which would lose the key or the body.
 */
export const providerFetch = async (
  address: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> => {
  const url = new URL(address instanceof Request ? address.url : address);
  return toResponse(await send(url, init));
};

/** The body of a good answer that `providerFetch` gave. Throws for any other. */
export const bodyOf = (response: Response): IncomingMessage => {
  const body = bodies.get(response);
  if (!body) throw new Error('expected a good answer of providerFetch');
  return body;
};

/** Rejects with the error of the socket, or with the signal's `AbortError`. */
const send = async (url: URL, init: RequestInit): Promise<IncomingMessage> => {
  const sent = open(url, init);
  try {
    return await answerTo(sent, init.body);
  } catch (error) {
    // The provider closed a kept connection while we wrote: nobody has read this request.
    const isStale = sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    if (!isStale) throw error;
    return answerTo(open(url, init), init.body);
  }
};

const answerTo = (sent: ClientRequest, body: RequestInit['body']): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('response', resolve);
    // Not once: an error that follows the response is told by the body, and must not go unheard here.
    sent.on('error', reject);
    sent.end(body);
  });

const open = (url: URL, { method = 'GET', headers, body, signal }: RequestInit): ClientRequest => {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
  return request(url, {
    method,
    headers: { ...Object.fromEntries(new Headers(headers)), ...length },
    ...(signal && { signal }),
  });
};

const toResponse = (message: IncomingMessage): Response => {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '');
  const isGood = status >= 200 && status < 300;
  const body = isGood ? null : (Readable.toWeb(message) as ReadableStream);
  const response = new Response(body, { status, statusText, headers });
  if (isGood) bodies.set(response, message);
  return response;
};

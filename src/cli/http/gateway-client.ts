import type { z } from 'zod';
import { GatewayRefusedError, readRefusalError, GatewayUnreachableError } from './gateway-failures.ts';

export interface GatewayOptions {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly apiKey: string | undefined;
}

/**
 * A client for the HTTP API of one gateway. Every method throws `GatewayUnreachableError` or `GatewayRefusedError`, or
 * the reason of its aborted signal.
 */
export interface GatewayClient {
  readonly url: string;
  /** Sends a request and returns the response, whose status is in the range 2xx. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request and returns the JSON body of its response. A body that does not match `schema` is a refusal. */
  requestJson<S extends z.ZodType>(schema: S, path: string, init?: RequestInit): Promise<z.infer<S>>;
}

/**
 * Creates a client that speaks HTTP to the gateway at `url`. Nothing is sent before the first call. Every call carries
 * `apiKey`, if there is one.
 */
export const createGatewayClient = ({ url, apiKey }: GatewayOptions): GatewayClient => {
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (apiKey !== undefined) headers.set('Authorization', `Bearer ${apiKey}`);
    const fail = failWith(url, init.signal);
    const response = await fetch(url + path, { ...init, headers }).catch(fail);
    if (response.ok) return response;
    throw await readRefusalError(response).catch(fail);
  };
  return {
    url,
    request,
    async requestJson(schema, path, init) {
      const response = await request(path, init);
      const body: unknown = await response.json().catch(failWith(url, init?.signal));
      const parsed = schema.safeParse(body);
      if (parsed.success) return parsed.data;
      const error = `${url}${path} answered what this version of orion does not understand.`;
      throw new GatewayRefusedError(response.status, { error, code: 'unexpected_answer' });
    },
  };
};

/**
 * Returns the handler of a connection that fails, also in the middle of a body. It throws GatewayUnreachableError, or
 * the reason of an aborted signal: an abort is the caller's own doing and says nothing about the gateway.
 */
const failWith =
  (url: string, signal: AbortSignal | null | undefined) =>
  (error: unknown): never => {
    throw signal?.aborted === true ? signal.reason : new GatewayUnreachableError(url, error);
  };

/** Returns a `POST` request whose body is JSON, for `fetch`. `headers` are sent besides the type of the body. */
export const jsonPost = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../../base/errors/start-error.ts';
import type { Connections } from './connections.ts';

/** Longer than load balancers keep an idle connection (60 s), so that they never send into a closed one. */
const KEEP_ALIVE_MS = 65_000;
const SWEEP_MS = 20;

/** A server that listens, but serves nothing before `serve`. */
export interface HttpServer {
  readonly port: number;
  readonly connections: Connections;
  /** Base URL under which this machine reaches the server. */
  readonly localUrl: string;
  /**
   * Sets the listener of requests, before which none is answered; call it in the tick in which `listenHttp` resolves.
   */
  serve(listener: RequestListener): void;
  /** Accepts no further connection; resolves when the open ones are done, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Listens at an address; with port 0 the operating system chooses one. Throws StartError when the address is not
 * available.
 */
export const listenHttp = async (
  host: string,
  port: number,
  connections: Connections,
): Promise<HttpServer> => {
  const { headersMs, sweepMs } = connections.limits;
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A deadline for all requests would cut the live lane, whose request lasts as long as its worker; `connections`
    // watches bodies.
    requestTimeout: 0,
    // Set explicitly: the default is the smaller of a minute and requestTimeout, which is none at all here.
    headersTimeout: headersMs,
    connectionsCheckingInterval: sweepMs,
  });
  connections.watch(server);
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new StartError(`ORION_HOST, ORION_PORT: cannot listen on ${host}:${port} (${String(cause)})`, {
      cause,
    });
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    connections,
    localUrl: `http://${reachable(host)}:${actual}`,
    serve: (listener) => void server.on('request', listener),
    close: (graceMs) => closeServer(server, graceMs),
  };
};

const reachable = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};

const closeServer = async (server: Server, graceMs: number): Promise<void> => {
  const closed = once(server, 'close');
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // Node closes idle connections once; those whose last answer ends later would stay for KEEP_ALIVE_MS.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  server.close();
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
};

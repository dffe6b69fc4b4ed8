import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../../base/errors/start-error.ts';
import { localUrlOf } from '../../base/hosts/local-url.ts';
import type { Connections } from './connections.ts';

/**
 * Milliseconds for which an idle connection stays open. Load balancers usually keep a connection for 60 s, and the
 * gateway must not close it first, or they would send into a closed one.
 */
const KEEP_ALIVE_MS = 65_000;
/** Milliseconds between two checks for connections that have become idle while the server closes. */
const SWEEP_MS = 20;

/** A server that listens, but serves nothing before `serve`. */
export interface HttpServer {
  readonly port: number;
  readonly connections: Connections;
  /** Base URL under which this machine reaches the server. */
  readonly localUrl: string;
  /**
   * Sets the listener of requests. Call it in the tick in which `listenHttp` resolves: a request that comes earlier is
   * never answered.
   */
  serve(listener: RequestListener): void;
  /**
   * Accepts no further connection. Resolves when the open ones have ended; after `graceMs` milliseconds they are cut.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Listens at an address. With port 0 the operating system chooses a port. Rejects with StartError when the address is
 * not available.
 */
export const listenHttp = async (
  host: string,
  port: number,
  connections: Connections,
): Promise<HttpServer> => {
  const { headersMs, sweepMs } = connections.limits;
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A deadline for every request would cut the live lane, whose request lasts as long as its worker. `connections`
    // watches bodies instead.
    requestTimeout: 0,
    // Set explicitly: by default it is the smaller of a minute and `requestTimeout`, and 0 would mean no deadline.
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
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    port: actualPort,
    connections,
    localUrl: localUrlOf(host, actualPort),
    serve: (listener) => void server.on('request', listener),
    close: (graceMs) => closeServer(server, graceMs),
  };
};

const closeServer = async (server: Server, graceMs: number): Promise<void> => {
  const closed = once(server, 'close');
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // `server.close` closes connections that are idle at that moment. Others would stay for `KEEP_ALIVE_MS` after their
  // last response.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  server.close();
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
};
